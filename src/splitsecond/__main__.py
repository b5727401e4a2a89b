"""``python -m splitsecond`` is the program ``splitsecond``."""

from splitsecond_cli import main

if __name__ == "__main__":
    main()
