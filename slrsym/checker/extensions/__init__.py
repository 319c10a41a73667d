"""Extensions: sets of rules outside of the default base, which a record must name to use."""
