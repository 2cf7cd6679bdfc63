"""`shoal studio`: what it says when it cannot start. That it works is shown in tests/studio."""

from __future__ import annotations

import socket
from pathlib import Path
from unittest import mock

from tests.cli.command import shoal


def test_without_its_packages_the_way_to_them_is_said(tmp_path: Path) -> None:
    """The studio is an extra."""
    with mock.patch("importlib.util.find_spec", return_value=None):
        ran = shoal(tmp_path, "studio", "--no-browser")
    assert ran.returncode == 2
    assert "pip install 'shoal[studio]'" in ran.stderr


def test_a_folder_that_is_none_is_named(tmp_path: Path) -> None:
    """Before anything is served."""
    ran = shoal(tmp_path, "studio", "nowhere", "--no-browser")
    assert ran.returncode == 2
    assert "nowhere is not a folder" in ran.stderr


def test_a_port_in_use_is_told_with_the_way_out(tmp_path: Path) -> None:
    """Two studios can run, on two ports."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ran = shoal(tmp_path, "studio", "--no-browser", "--port", str(taken.getsockname()[1]))
    assert ran.returncode == 6
    assert "choose another with --port" in ran.stderr
