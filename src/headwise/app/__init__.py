"""The doors: command line and services. Only these print, exit, or know JSON and HTTP."""
