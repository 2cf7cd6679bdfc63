"""`shoal models`: the privacy models by name."""

import typer

from shoal.privacy import MODELS


def models() -> None:
    """List the privacy models."""
    for name, model in MODELS.items():
        typer.echo(f"{name}: {model.description.short}")
