"""`muster verify` with real PyTorch: two ranks train together, and their job is gone at the end."""


def test_two_ranks_train_and_the_job_is_deleted(engine):
    done = engine.muster("verify", "--image", "any")
    assert "✔ two ranks trained together: loss " in done.stdout
    assert "muster-verify" not in engine.muster("get", "jobs").stdout


def test_a_job_that_takes_too_long_is_deleted(engine):
    late = engine.muster("verify", "--image", "any", "--timeout", "1ms", check=False)
    assert late.returncode == 124
    assert "has not ended after" in late.stderr
    assert "muster-verify" not in engine.muster("get", "jobs").stdout
