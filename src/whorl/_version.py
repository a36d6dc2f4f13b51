"""The version, alone in a module so that the build can read it without importing the package."""

VERSION = "0.1.0"
