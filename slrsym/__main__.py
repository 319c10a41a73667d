"""Entry point of ``python -m slrsym``, which is the same as the command ``slrsym``."""

from slrsym.cli.program import main

if __name__ == "__main__":
    main()
