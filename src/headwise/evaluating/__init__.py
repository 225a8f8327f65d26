"""How well settings let answers be found, measured on the user's own documents."""
