"""Trainers: one readable script each, started with `python -m training.NAME configs/CONFIG.yaml`."""
