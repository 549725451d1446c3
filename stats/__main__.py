"""Run the package as a program: `python -m stats agreement ratings.csv ...`."""

import sys

from stats.cli.program import main

if __name__ == "__main__":
    sys.exit(main())
