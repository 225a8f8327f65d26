"""`python -m headwise`: the command line."""

from headwise.app.cli import main

if __name__ == "__main__":
    main()
