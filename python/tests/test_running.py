"""While a call runs: threads, forks, Ctrl-C, callbacks, progress, memory."""

import gc
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
import tracemalloc

import numpy as np
import pytest

import zbound
from conftest import glass, random_model


# For other processes, which know this folder too.
ENVIRONMENT = {**os.environ,
               "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])}


def run_python(code: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], text=True,
                          capture_output=True, timeout=120, env=ENVIRONMENT)


# ---- callbacks -------------------------------------------------------------------------


def test_a_callback_hears_of_every_improvement_and_can_stop():
    heard = []

    def listen(at: zbound.Progress):
        heard.append(at)
        return len(heard) < 5

    result = glass(12).bound(time=20, method="wmbe-w", ibound=4, callback=listen)
    assert len(heard) == 5 and result.stop == "interrupted" and result.seconds < 10
    assert result.lower >= heard[-1].lower - 1e-6 and result.upper <= heard[-1].upper + 1e-6
    assert heard[0].gap > 0 and heard[-1].side in ("upper", "lower", "both")


def test_what_a_callback_raises_is_raised():
    def fail(at):
        raise LookupError("of the callback")

    with pytest.raises(LookupError, match="of the callback"):
        glass(12).bound(time=20, callback=fail)


def test_a_callback_may_not_change_the_model():
    model = glass(10)

    def change(at):
        model.add((0,), [1, 1])

    with pytest.raises(zbound.Error, match="in use"):
        model.bound(callback=change)
    model.add((0,), [1, 1])  # now it may be


def test_a_callback_may_ask_about_another_model(triangle):
    answers = []

    def ask(at):
        answers.append(triangle.bound().exact)
        return False

    glass(10).bound(method="wmbe-w", ibound=3, callback=ask)
    assert answers and all(answers)


@pytest.mark.parametrize("hidden", [False, True])
def test_progress_is_shown(monkeypatch, capsys, hidden):
    if hidden:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    else:
        pytest.importorskip("tqdm")
    glass(8).bound(method="wmbe-w", ibound=3, iterations=5, progress=True)
    shown = capsys.readouterr().err
    assert "<= ln Z <=" in shown and shown.endswith("\n")


# ---- threads and forks -------------------------------------------------------------------


def test_two_threads_give_the_numbers_of_one():
    models = [glass(7, seed) for seed in range(4)]
    alone = [m.bound(method="wmbe-wtheta", ibound=3, iterations=20) for m in models]
    together = {}

    def work(part):
        for i in part:
            together[i] = models[i].bound(method="wmbe-wtheta", ibound=3, iterations=20)

    threads = [threading.Thread(target=work, args=(part,)) for part in ([0, 1, 2], [2, 3, 1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, result in together.items():
        assert (result.lower, result.upper) == (alone[i].lower, alone[i].upper)


@pytest.mark.slow
def test_the_interpreter_goes_on_meanwhile():
    model, results, count = glass(30), [], 0
    thread = threading.Thread(target=lambda: results.append(model.bound(time=1)))
    thread.start()
    start = time.monotonic()
    while thread.is_alive() and time.monotonic() - start < 30:
        count += 1
    thread.join()
    assert count > 10000 and results[0].stop == "time"


@pytest.mark.slow
def test_no_change_while_another_thread_reads():
    model = glass(30)
    thread = threading.Thread(target=lambda: model.bound(time=1))
    thread.start()
    time.sleep(0.3)
    with pytest.raises(zbound.Error, match="in use"):
        model.observe(0, 1)
    thread.join()
    model.observe(0, 1)


@pytest.mark.slow
def test_a_forked_child_answers():
    """Large enough for the parent to have threads, which the child lacks."""
    done = run_python("""
        import os, signal
        from conftest import glass
        m = glass(18)
        def ask():
            r = m.exact(threads=2)
            return r.lower, r.upper
        before = ask()
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            os._exit(0 if ask() == before else 1)
        assert ask() == before
        print(os.waitpid(child, 0)[1])
        """)
    assert done.stdout == "0\n", done.stderr


@pytest.mark.slow
def test_a_pool_of_processes_answers():
    done = run_python("""
        import multiprocessing, zbound
        from conftest import glass
        def ask(seed):
            return glass(6, seed).exact().upper
        if __name__ == "__main__":
            here = [ask(seed) for seed in range(6)]
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(pool.map(ask, range(6)) == here)
        """)
    assert done.stdout == "True\n", done.stderr


# ---- Ctrl-C ----------------------------------------------------------------------------


def interrupt(code: str, after: float = 1.5) -> "tuple[str, str]":
    """Run code, send SIGINT so many seconds after it said that it begins."""
    child = subprocess.Popen([sys.executable, "-uc", textwrap.dedent(code)], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=ENVIRONMENT)
    assert child.stdout.readline() == "begin\n"
    time.sleep(after)
    child.send_signal(signal.SIGINT)
    return child.communicate(timeout=60)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_gives_the_bracket_so_far(threads):
    out, err = interrupt(f"""
        import time
        from conftest import glass
        m = glass(40)
        print("begin")
        start = time.monotonic()
        r = m.bound(time=60, threads={threads})
        print(r.stop, r.lower < r.upper < float("inf"), time.monotonic() - start < 30)
        try:
            time.sleep(0.1)
            print("calm")
        except KeyboardInterrupt:
            print("again")
        """)
    assert out == "interrupted True True\ncalm\n", (out, err)


@pytest.mark.slow
def test_ctrl_c_between_short_calls_is_python_s():
    out, err = interrupt("""
        import zbound
        m = zbound.Model([2, 2])
        print("begin")
        try:
            while True:
                m.bound()
        except KeyboardInterrupt:
            print("interrupted")
        """, after=0.5)
    assert out == "interrupted\n", (out, err)


@pytest.mark.slow
def test_ctrl_c_without_an_answer_is_an_interrupt():
    out, err = interrupt("""
        import time, numpy as np, zbound
        from conftest import glass
        m = glass(26)
        print("begin")
        start = time.monotonic()
        try:
            m.exact()
            print("answered")
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - start < 30)
        """)
    assert out == "interrupted True\n", (out, err)


@pytest.mark.slow
def test_a_handler_of_the_user_s_is_not_replaced():
    out, err = interrupt("""
        import signal
        from conftest import glass
        signal.signal(signal.SIGINT, lambda *a: print("heard"))
        m = glass(30)
        print("begin")
        print(m.bound(time=2).stop)
        """, after=0.8)
    assert sorted(out.split()) == ["heard", "time"], (out, err)


# ---- memory ----------------------------------------------------------------------------


def every_call():
    model = random_model(12)
    model.bound()
    model.bound(method="wmbe-wtheta", ibound=2, iterations=3, callback=lambda at: None)
    model.exact()
    model.info()
    model.order()
    model.copy().log_z_bounds(ibound=2, iterations=2)
    zbound.ising(np.ones((4, 4)) - np.eye(4), 0.1)
    list(model.factors)
    for broken in (dict(time="x"), dict(order=[0]), dict(nothing=1)):
        with pytest.raises(zbound.Error):
            model.bound(**broken)
    with pytest.raises(zbound.Error):
        zbound.read("/no/such/file")


@pytest.mark.slow
def test_nothing_is_left_behind():
    """Python's own memory by tracemalloc, C's by the size of the process."""
    for _ in range(20):
        every_call()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100):
        every_call()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 20000, grown
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - resident < 8000  # KiB


def test_a_large_table_is_not_leaked():
    table = np.ones([10] * 6)
    sizes = []
    for i in range(30):
        model = zbound.Model([10] * 6)
        model.add(range(6), table)
        sizes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        del model
    assert sizes[-1] - sizes[5] < 3 * 8000


@pytest.mark.slow
@pytest.mark.skipif("ZBOUND_VALGRIND" not in os.environ,
                    reason="half a minute under valgrind: ZBOUND_VALGRIND=1 asks for it")
def test_valgrind_finds_nothing_lost_in_the_library():
    done = subprocess.run(
        ["valgrind", "--leak-check=full", "--show-leak-kinds=definite", sys.executable, "-c",
         "from test_running import every_call\nfor i in range(2): every_call()"],
        text=True, capture_output=True, timeout=600,
        env={**ENVIRONMENT, "PYTHONMALLOC": "malloc"})
    assert done.returncode == 0, done.stderr
    ours = [r for r in done.stderr.replace("==\n==", "==\n\n==").split("\n\n")
            if "definitely lost in" in r and ("zb_" in r or "zbpy_" in r)]
    assert "LEAK SUMMARY" in done.stderr and not ours, ours
