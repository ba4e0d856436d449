"""Recorded deals of every preset at several tables: a change of any position, legal action or score shows."""
