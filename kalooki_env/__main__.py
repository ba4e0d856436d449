"""`python -m kalooki_env`, the same as `kalooki`."""

import sys

from kalooki_env.cli.main import main

sys.exit(main())
