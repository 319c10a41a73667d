"""Documents of checked claims: formulas, a book, a site, notebooks, and figures."""
