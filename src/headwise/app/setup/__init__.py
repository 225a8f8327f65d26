"""`headwise init`: settings for a folder, proposed after a look at it."""
