"""The rules by which a step of a proof may be justified."""
