"""What one paper needs and nothing else does, in a folder for each paper."""
