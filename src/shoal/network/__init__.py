"""How parties of a run talk to each other: frames over mutually authenticated TLS 1.3.

Used by the rooms for several holders, messages and places; needs the package `cryptography`. Nobody is
trusted by a name or an authority: every party has the certificates of the others, and only those.
"""

from __future__ import annotations
