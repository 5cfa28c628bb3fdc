"""Options: the library's own table, so that what is added there is here at once."""

import operator
import os
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from ._errors import ArgumentError, check, new_error
from ._native import ffi, lib


@dataclass(frozen=True)
class Option:
    """An entry of the library's table of options."""

    name: str  #: as a keyword argument of :meth:`Model.bound`
    help: str
    default: Any
    choices: Optional[Tuple[str, ...]] = None  #: of an option that names something
    least: Optional[float] = None
    most: Optional[float] = None

    def __str__(self) -> str:
        choices = f" ({', '.join(self.choices)})" if self.choices else ""
        return f"{self.name} = {self.default!r}: {self.help}{choices}"


def _text(pointer) -> str:
    return ffi.string(pointer).decode()


def _choices(entry) -> Optional[Tuple[str, ...]]:
    if not entry.choices:
        return None
    names = []
    while entry.choices[len(names)]:
        names.append(_text(entry.choices[len(names)]))
    return tuple(names)


_FIELD_AT = {field.offset: name for name, field in ffi.typeof("zb_options").fields}


def _read_table():
    defaults = lib.zb_options_default()
    table = {}
    for i in range(lib.zb_options_count()):
        entry = lib.zb_options_entry(i)
        choices = _choices(entry)
        default = getattr(defaults, _FIELD_AT[entry.offset])
        limited = choices is None and entry.least < entry.most
        option = _text(entry.option)
        name = option.replace("-", "_")
        table[name] = (option.encode(),
                       Option(name, _text(entry.help),
                              choices[default] if choices else default, choices,
                              entry.least if limited else None,
                              entry.most if limited else None))
    return table


_TABLE = _read_table()


def options() -> Tuple[Option, ...]:
    """The options that :meth:`Model.bound` takes by keyword.

    >>> import zbound
    >>> print(zbound.options()[0].name, zbound.options()[0].choices[:4])
    method ('auto', 'be', 'mbe', 'wmbe')
    """
    return tuple(option for _, option in _TABLE.values())


# After a fork the threads of OpenMP are gone, and waiting for them would last for ever;
# a team of one waits for nobody. Numbers do not depend on the number of threads.
_forked = False


def _after_fork() -> None:
    global _forked
    _forked = True


os.register_at_fork(after_in_child=_after_fork)


def _as_text(name: str, value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bool, np.bool_)):
        raise ArgumentError(f"{name}: expected a number or a name, found {value!r}")
    try:
        return b"%d" % operator.index(value)
    except TypeError:
        pass
    try:
        return repr(float(value)).encode()
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{name}: expected a number or a name, found {value!r}") from None


def _is_list(value: Any) -> bool:
    return isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, (str, bytes))


def make_options(given, order_of=None):
    """The struct, and what has to live as long as it does.

    order_of: turns the order given as a list of variables into an array of int.
    """
    struct = ffi.new("zb_options *")
    struct[0] = lib.zb_options_default()
    order = None
    for name, value in given.items():
        if value is None:
            continue
        if name not in _TABLE:
            raise ArgumentError(f"there is no option '{name}'; there are "
                                f"{', '.join(_TABLE)}")
        if name == "order" and order_of is not None and _is_list(value):
            order = order_of(value)
            struct.order = lib.ZB_ORDER_FILE
            struct.order_list = order
            continue
        if name == "order" and value == "file":
            raise ArgumentError("order: expected a name or a list of all variables")
        err = new_error()
        check(lib.zb_options_set(struct, _TABLE[name][0], _as_text(name, value), err), err)
    if _forked:
        struct.threads = 1
    return struct, order


def describe_options() -> str:
    """For docstrings."""
    return "\n".join(f"        {option}" for option in options())
