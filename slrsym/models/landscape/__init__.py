"""Critical points of the risk: their search, and the table of those found."""
