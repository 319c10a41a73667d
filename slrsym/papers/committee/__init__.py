"""Committee machines that learn from a teacher (Saad and Solla 1995)."""
