"""Pictures of a table as text."""
