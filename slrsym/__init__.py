"""slrsym."""
