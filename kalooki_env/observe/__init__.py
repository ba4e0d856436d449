"""Observations: from a VIEW to arrays. `schema.py` says what they hold, `encoders.py` writes them."""
