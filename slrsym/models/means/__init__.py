"""Means over tokens: moments, the risk and its gradient in closed form."""
