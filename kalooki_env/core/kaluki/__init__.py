"""Kaluki (KL1 to KL6): what differs from the Jamaican game. The rest of the core calls this folder where `game` says so."""
