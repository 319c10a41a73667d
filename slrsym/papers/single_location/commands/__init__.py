"""Commands that only this paper has."""
