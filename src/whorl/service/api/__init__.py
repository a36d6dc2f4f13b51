"""The HTTP API, version 1: one router for each noun. What it does is in the modules above; here are paths and forms."""
