"""Claims, axioms and the ledger."""
