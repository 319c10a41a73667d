"""What book and site show of this paper alone: abbreviations, letters, a portrait, pictures."""
