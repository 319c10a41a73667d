"""Extensions: sets of inference rules outside the default set, which a log must name to use."""
