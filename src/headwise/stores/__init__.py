"""Where records live: the `Store` protocol and its implementations."""
