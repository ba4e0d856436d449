"""The game for people: rules packed for the core, texts of cards, actions and positions, and `Game`."""
