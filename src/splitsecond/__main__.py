"""``python -m splitsecond`` is the program ``splitsecond``."""

from splitsecond._cli import main

if __name__ == "__main__":
    main()
