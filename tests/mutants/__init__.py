"""Wrong rules on purpose: each of them must be caught by the comparison with the referee."""
