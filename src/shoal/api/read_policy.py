"""`shoal.read_policy`: read a policy from its file."""

from __future__ import annotations

from pathlib import Path

from shoal.api._door import door
from shoal.errors import EngineError, PolicyError
from shoal.model.policy.keys.key import PolicyKey
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_toml import parse_policy


def policy_options() -> tuple[PolicyKey, ...]:
    """The options of all algorithms, which a policy states under [search]."""
    # Imported here: a policy without options does not wait for the algorithms.
    from shoal.algorithms.option_keys import option_keys

    return option_keys()


@door
def read_policy(path: str | Path) -> Policy:
    """The policy in a TOML file; paths in it are relative to the file.

    Parameters
    ----------
    path
        The file.

    Examples
    --------
    >>> policy = shoal.read_policy("stays.toml")
    >>> policy.k
    """
    path = Path(path)
    text = policy_text(path)
    try:
        return parse_policy(text, path.parent, policy_options)
    except PolicyError as error:
        raise PolicyError(f"{path.name}: {error}") from None


def policy_text(path: Path) -> str:
    """What a policy file says."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise PolicyError(f"the policy {path.name} is not UTF-8 text") from None
    except OSError as error:
        raise EngineError(f"cannot read the policy {path}: {error.strerror}") from None
    except ValueError:  # a name with a NUL in it
        raise EngineError("cannot read the policy: the system does not take its name") from None
