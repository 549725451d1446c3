"""`python -m bench [seconds]`: the rating loop beside its floor."""

import sys

from bench.loop import SECONDS, run

if __name__ == "__main__":
    sys.exit(run(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS))
