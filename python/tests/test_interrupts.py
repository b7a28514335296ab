"""Control-C during a call."""
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import upsweep

BODIES = 400_000


@pytest.fixture(autouse=True)
def control_c_is_heard():
    """A shell ignores SIGINT for processes that it starts in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def too_long():
    """A call over all pairs that takes a minute unless it is cancelled."""
    x, y, z = np.random.default_rng(1).normal(size=(3, BODIES)).astype("f4")
    upsweep.nbody.accelerations(x, y, z, np.ones(BODIES, "f4"), softening=1, theta=0)


def soon(number):
    timer = threading.Timer(0.5, os.kill, (os.getpid(), number))
    timer.start()
    return timer


def test_control_c_ends_a_call():
    timer = soon(signal.SIGINT)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        too_long()
    timer.join()
    assert time.monotonic() - began < 20
    assert upsweep.sum(np.arange(1000)) == 499_500


def test_the_exception_of_a_handler_is_raised():
    def handler(number, frame):
        raise TimeoutError("enough")

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        timer = soon(signal.SIGUSR1)
        with pytest.raises(TimeoutError, match="enough"):
            too_long()
        timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_handler_that_returns_ends_nothing():
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(time.monotonic()))
    try:
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1))
        x, y, z = np.random.default_rng(1).normal(size=(3, 60_000)).astype("f4")
        timer.start()
        upsweep.nbody.accelerations(x, y, z, np.ones(60_000, "f4"), softening=1, theta=0)
        ended = time.monotonic()
        timer.join()
        assert len(seen) == 1
        if ended - seen[0] < 0:
            pytest.skip("the call was over before the signal came")
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_program_ends_by_it():
    program = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); import test_interrupts as t; " \
              "t.signal.signal(t.signal.SIGINT, t.signal.default_int_handler); print('begun', flush=True); t.too_long()"
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, words = child.communicate(timeout=20)
    assert child.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in words
