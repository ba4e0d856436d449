"""Environments over the core."""
