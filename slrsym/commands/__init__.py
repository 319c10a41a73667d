"""The commands, one or a few of a kind in a module, and what several of them need."""
