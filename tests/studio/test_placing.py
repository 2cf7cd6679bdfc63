"""Files that come into a folder all or not at all, wherever the process that puts them there is killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.studio.file_transaction import FileTransaction, new_token

KILLED_AT_EVERY_STEP = """
import os, shutil, sys
from pathlib import Path
from shoal.studio.file_transaction import FileTransaction, recover

STEPS = ("open", "os.rename", "os.remove", "os.link", "os.mkdir", "os.rmdir")
folder, left, kept_at_last = Path(sys.argv[1]), 0, False
names = ["release.csv", "release.csv.manifest.json", "release.csv.report.html", "hierarchies/zip.csv"]
targets = [folder / name for name in names]
before = {"release.csv": "old", "release.csv.report.html": "old", "mine.txt": "mine"}
after = {**before, **dict.fromkeys(names, "new")}

def count(event, given):
    global left
    if event in STEPS and str(folder) in str(given):
        left -= 1
        if left == 0:
            os._exit(9)

def there():
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}

for step in range(1, 1000):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in before.items():
        (folder / name).write_text(text)
    child = os.fork()
    if child == 0:
        left = step
        sys.addaudithook(count)
        with FileTransaction("token") as placing:
            for target in targets:
                placing.stage(target, b"new")
            placing.place(gone_first=[targets[1]])
            placing.keep()
        os._exit(0)
    killed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    whole = all((folder / name).exists() and (folder / name).read_text() == "new" for name in names)
    recover(targets, "token")
    assert there() in ((before, after) if whole else (before,)), (step, there())
    assert not kept_at_last or there() == after, step
    kept_at_last = there() == after
    if not killed:
        break
assert kept_at_last and step > 20, step
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a child is killed, and another looks")
def test_a_writer_killed_at_any_step_leaves_all_or_nothing(tmp_path: Path) -> None:
    """Files of before come back, new ones are gone, no hidden one stays; once all is well, all stay."""
    subprocess.run([sys.executable, "-c", KILLED_AT_EVERY_STEP, str(tmp_path / "folder")], check=True)


def test_names_that_end_alike_do_not_meet(tmp_path: Path) -> None:
    """Columns of one table often do, and so do their hierarchy files."""
    names = [f"{which}_diagnosis_code_at_the_time_of_admission.csv" for which in ("first", "second")]
    with FileTransaction(new_token()) as placing:
        for name in names:
            placing.stage(tmp_path / name, name.encode())
        placing.place()
        placing.keep()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {name: name for name in names}
