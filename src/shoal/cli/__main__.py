"""`python -m shoal.cli`, for where the command is not on the path."""

from shoal.cli import main

main()
