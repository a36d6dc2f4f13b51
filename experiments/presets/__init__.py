"""Why the presets have the numbers that they have."""
