"""The files of claims are verified by one test each, as some of their claims are false."""

collect_ignore = ["scalar.py", "single_location.py"]
