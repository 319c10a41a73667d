"""Rules beyond the default base, each set of which a log has to name."""
