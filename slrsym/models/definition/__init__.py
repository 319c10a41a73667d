"""What a model is: directions, tokens, target and predictor, and how they are written."""
