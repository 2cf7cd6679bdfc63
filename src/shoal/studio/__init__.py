"""The web application that takes a table from its file to a signed release. It uses only the public names.

One server is one person's: all its pages show the same workspace, so a reload loses nothing and two tabs
agree. Whatever is done here is written as a policy, and runs by that policy: the command line does the same.
"""

from __future__ import annotations
