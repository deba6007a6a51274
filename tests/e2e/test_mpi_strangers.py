"""muster-mpirun and muster-rank as an MPI program starts them, with strangers on the launcher's port."""

import os
import resource
import socket
import subprocess

import pytest
from harness import MUSTER, wait_for


@pytest.fixture
def programs(tmp_path):
    for name in ("muster-mpirun", "muster-rank"):
        (tmp_path / name).symlink_to(MUSTER)
    return tmp_path


def rank(programs, number, of, script):
    return f"OMPI_COMM_WORLD_RANK={number} OMPI_COMM_WORLD_SIZE={of} {programs}/muster-rank sh -c '{script}'"


def launch(programs, script, files=256):
    """Starts a launcher whose command is the script, with this many descriptors. It writes its port to a file first."""
    def limited():
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    script = f'echo "$OMPI_MUSTER_RANKS" >{programs}/where.new; mv {programs}/where.new {programs}/where; {script}'
    return subprocess.Popen([programs / "muster-mpirun", "sh", "-c", script], text=True, stderr=subprocess.PIPE,
                            preexec_fn=limited, env=dict(os.environ, MUSTER_POD_IP="127.0.0.1"))


def outcome(launcher):
    said = launcher.communicate(timeout=60)[1]
    return launcher.returncode, said


def flood(programs, count):
    """Connects this many strangers and keeps their connections."""
    where = wait_for("the launcher's address", lambda: (programs / "where").exists() and (programs / "where").read_text())
    port = int(where.split(":")[1])
    strangers = []
    for _ in range(count):
        stranger = socket.socket()
        stranger.connect(("127.0.0.1", port))
        strangers.append(stranger)
    return strangers


def test_a_rank_that_fails_is_known_although_strangers_flood_the_launcher(programs):
    wait = f"until test -e {programs}/go; do sleep 0.05; done"
    launcher = launch(programs, f"{wait}; {rank(programs, 0, 1, 'exit 3')}; exit 0", files=64)
    strangers = flood(programs, 500)
    (programs / "go").touch()
    code, said = outcome(launcher)
    assert code == 3 and "exited with code 3" in said, said
    for stranger in strangers:
        stranger.close()


def test_a_rank_that_never_reports_fails_the_job(programs):
    code, said = outcome(launch(programs, f"{rank(programs, 0, 2, 'true')}; exit 0"))
    assert code == 1 and "rank 1 did not report how it ended" in said, said


def test_ranks_that_end_well_succeed(programs):
    code, said = outcome(launch(programs, f"{rank(programs, 0, 2, 'true')}; {rank(programs, 1, 2, 'true')}"))
    assert (code, said) == (0, "")
