"""The rule book, rule by rule and example by example."""
