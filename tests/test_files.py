"""Files are put in their place whole: what was there before stays until then."""

import os
import re
import stat
import threading
from pathlib import Path

import pytest

from dporacle.common import files

SOURCE = Path(files.__file__).parent


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_what_is_interrupted_leaves_what_was_there(tmp_path, error):
    path, fresh = tmp_path / "run.json", tmp_path / "new.json"
    path.write_text("old")
    for each in (path, fresh):

        def interrupted(each=each):
            with files.beside(each) as part:
                part.write_text("half")
                raise error

        with pytest.raises(error):
            interrupted()
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["run.json"]


def test_a_file_keeps_its_mode_and_a_link_its_place(tmp_path):
    path, link = tmp_path / "x.png", tmp_path / "link.png"
    path.write_text("old")
    path.chmod(0o604)
    link.symlink_to(path)
    with files.beside(link) as part:
        assert part.suffix == ".png"
        part.write_text("new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_a_device_and_a_pipe_are_written_themselves(tmp_path):
    files.check(Path(os.devnull))
    files.write(Path(os.devnull), "x")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    files.check(pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
    reader.start()
    files.write(pipe, "through")
    reader.join(10)
    assert found == ["through"]


def test_a_new_file_takes_nobodys_place(tmp_path):
    path = tmp_path / "claim.toml"
    files.write(path, b"mine", new=True)
    with pytest.raises(FileExistsError):
        files.write(path, b"yours", new=True)

    def too_late():
        with files.beside(tmp_path / "other", new=True) as part:
            part.write_text("yours")
            (tmp_path / "other").write_text("theirs")

    with pytest.raises(FileExistsError):
        too_late()
    assert (path.read_text(), (tmp_path / "other").read_text()) == ("mine", "theirs")
    assert len(list(tmp_path.iterdir())) == 2


def test_what_cannot_be_written_is_told_before_and_changes_nothing(tmp_path):
    missing = tmp_path / "no" / "file"
    for ask in (files.check, lambda path: files.write(path, "x")):
        with pytest.raises(OSError, match="No such file") as told:
            ask(missing)
        assert told.value.filename == str(missing)
        with pytest.raises(IsADirectoryError):
            ask(tmp_path)
    files.check(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() == 0, reason="root may write everything")
def test_rights_are_respected(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o400)
    with pytest.raises(PermissionError):
        files.check(path)
    path.chmod(0o600)
    tmp_path.chmod(0o500)
    try:
        files.write(path, "new")  # in a folder where no other file can be made
    finally:
        tmp_path.chmod(0o700)
    assert path.read_text() == "new"


ITS_OWN = {
    # Journals, to which a line is added; a line that was cut off is passed over.
    "claims/streaming/running.py",
    "wings/papers/commands/rank_one.py",
    # Folders of their own, of which a last file says that they are complete, and temporary ones.
    "conformance/libraries/environments.py",
    "wings/coq/checking.py",
    "wings/coq/development.py",
    # A draft that is put in its place; a supervisor and adapters that import nothing of ours.
    "wings/samplers/checkpoint.py",
    "conformance/process/supervisor.py",
}
WRITES = re.compile(
    r"write_text\(|write_bytes\(|savefig\((?!part)|open\(\"[wax]b?\"|\.save\(output"
)


def test_every_file_that_is_written_goes_this_way():
    found = {
        str(path.relative_to(SOURCE))
        for path in [*SOURCE.rglob("*.py"), *(SOURCE / "dev").rglob("*.py")]
        if path.name != "files.py" and WRITES.search(re.sub(r"part\.open", "", path.read_text()))
    }
    assert found <= ITS_OWN | {"wings/papers/experiments/style.py"}
