"""TLS 1.3 between parties that have each other's certificates.

Both sides show a certificate, and each trusts only those that it was given: neither the system's
authorities nor host names count.
"""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import Sequence

from shoal.network.identity import Certificate, Identity


def server_context(identity: Identity, trusted: Sequence[Certificate]) -> ssl.SSLContext:
    """For the side that listens."""
    context = _context(ssl.PROTOCOL_TLS_SERVER, identity, trusted)
    # A ticket would let a connection be resumed without showing the certificate again.
    context.num_tickets = 0
    return context


def client_context(identity: Identity, trusted: Sequence[Certificate]) -> ssl.SSLContext:
    """For the side that connects."""
    return _context(ssl.PROTOCOL_TLS_CLIENT, identity, trusted)


def fingerprint_of(connection: ssl.SSLObject | None) -> str | None:
    """The fingerprint of the certificate that the other side showed."""
    shown = connection.getpeercert(binary_form=True) if connection else None
    return hashlib.sha256(shown).hexdigest() if shown else None


def _context(side: int, identity: Identity, trusted: Sequence[Certificate]) -> ssl.SSLContext:
    context = ssl.SSLContext(side)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_cert_chain(identity.certificate_path, identity.key_path)
    for each in trusted:
        context.load_verify_locations(cadata=each.pem)
    return context
