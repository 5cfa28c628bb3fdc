"""A call that may last: progress, callbacks, Ctrl-C."""

import signal
import sys
import threading
from typing import Any, Callable, List, Optional

from ._errors import ArgumentError
from ._native import ffi, lib
from ._results import Point, Progress

Callback = Callable[[Progress], Optional[bool]]


def side_name(side: int) -> str:
    return ffi.string(lib.zb_side_name(side)).decode()


class Run:
    """While it is entered, `observer` can be given to the library.

    Ctrl-C ends the run in C, whatever thread is at work, if it would have raised
    KeyboardInterrupt here: what the library has found so far is its answer. Otherwise
    (another thread, a handler of the user's) it is left to Python.
    """

    def __init__(self, callback: Optional[Callback] = None, progress: bool = False):
        if callback is not None and not callable(callback):
            raise ArgumentError(f"callback: expected a function, found {callback!r}")
        self.callbacks: List[Callback] = [callback] if callback is not None else []
        self.bar = Bar() if progress else None
        self.notes: List[str] = []
        self.exception: Optional[BaseException] = None
        self.interrupted = False

    def __enter__(self) -> "Run":
        self._handle = ffi.new_handle(self)
        self._run = run = ffi.new("zbpy_run *")
        run.handle = self._handle
        run.note = lib.zbpy_note
        if self.bar is not None:
            self.callbacks.append(self.bar.show)
        if self.callbacks:
            run.tell = lib.zbpy_tell
        lib.zbpy_run_begin(run)
        self._catches = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler)
        if self._catches:
            run.heeds_signals = True
            lib.zbpy_signals_catch()
        self.observer = ffi.addressof(run, "observer")
        return self

    def __exit__(self, kind, value, trace) -> None:
        if self._catches:
            self.interrupted = bool(lib.zbpy_signals_release())
        points = ffi.unpack(self._run.trace, self._run.points) if self._run.points else []
        self.trace = [Point(p.seconds, p.lower, p.upper) for p in points]
        lib.zbpy_run_end(self._run)
        if self.bar is not None:
            self.bar.close()
        if self.exception is not None:
            raise self.exception
        if kind is not None and self.interrupted:
            raise KeyboardInterrupt

    def ended(self, by_caller: bool) -> None:
        """A Ctrl-C that did not end the run is not lost."""
        if self.interrupted and not by_caller:
            signal.raise_signal(signal.SIGINT)

    def tell(self, at: Progress) -> bool:
        try:
            return not any([call(at) is False for call in self.callbacks])
        except BaseException as exception:  # of the callback's: raised where we return
            self.exception = exception
            return False


@ffi.def_extern(error=False)
def zbpy_tell(handle, at):
    return ffi.from_handle(handle).tell(Progress(
        at.seconds, at.iteration, at.log_lower, at.log_upper, at.ibound,
        at.fraction if at.fraction >= 0 else None, side_name(at.side)))


@ffi.def_extern()
def zbpy_note(handle, sentence):
    ffi.from_handle(handle).notes.append(ffi.string(sentence).decode("utf-8", "replace"))


class Bar:
    """A line that says how far a run is: tqdm's where it is installed."""

    def __init__(self) -> None:
        self.last = ""
        self.tqdm: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self.tqdm = tqdm(bar_format="{desc} [{elapsed}]", leave=True)

    def show(self, at: Progress) -> None:
        share = f"{at.fraction:4.0%} " if at.fraction is not None else ""
        text = f"{share}{at.lower:.6g} <= ln Z <= {at.upper:.6g}, gap {at.gap:.3g}"
        if self.tqdm is not None:
            self.tqdm.set_description_str(text, refresh=False)
            self.tqdm.refresh()
        elif text != self.last:
            sys.stderr.write(f"\r{text:<{len(self.last)}}")
            sys.stderr.flush()
            self.last = text

    def close(self) -> None:
        if self.tqdm is not None:
            self.tqdm.close()
        elif self.last:
            sys.stderr.write("\n")
