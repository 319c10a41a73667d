"""``python -m slrsym`` is the command ``slrsym``."""

from slrsym.cli import main

if __name__ == "__main__":
    main()
