"""Models, stated; what follows is derived."""
