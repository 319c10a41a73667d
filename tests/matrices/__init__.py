"""Tests of matrices of free size: language, translation, tactics and cross-check."""
