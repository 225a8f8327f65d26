"""The HTTP service: what the library does, over HTTP, for programs and for the page."""
