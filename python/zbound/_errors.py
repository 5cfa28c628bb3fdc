"""What goes wrong, as exceptions."""

from ._native import ffi, lib

_STATUS = {
    lib.ZB_ENOMEM: "memory",
    lib.ZB_EINVAL: "argument",
    lib.ZB_EPARSE: "format",
    lib.ZB_EIO: "file",
    lib.ZB_ELIMIT: "limit",
    lib.ZB_EBUG: "bug",
}


class Error(Exception):
    """The library's sentence about what went wrong.

    ``status`` is the kind: ``"argument"`` (makes no sense), ``"format"`` (a file does not
    follow its format), ``"file"`` (cannot be read or written), ``"limit"`` (time or memory
    ended before there was an answer), ``"memory"`` (an allocation failed), ``"bug"``.

    >>> import zbound
    >>> try:
    ...     zbound.read("no such file")
    ... except zbound.Error as error:
    ...     print(error.status, "-", error)
    file - no such file: cannot open: No such file or directory
    """

    def __init__(self, text: str, status: str = "argument"):
        super().__init__(text)
        self.status = status


class ArgumentError(Error, ValueError):
    """An argument that makes no sense; the sentence begins with its name."""


def new_error():
    return ffi.new("zb_error *")


def text_of(err) -> str:
    return ffi.string(err.text).decode("utf-8", "replace")


def check(status: int, err=None, argument: str = "") -> None:
    """Raise what a status other than ZB_OK means."""
    if status == lib.ZB_OK:
        return
    text = text_of(err) if err is not None else ""
    if not text:
        text = ffi.string(lib.zb_status_text(status)).decode()
    if argument:
        text = f"{argument}: {text}"
    if status == lib.ZB_ENOMEM:
        raise OutOfMemory(text, "memory")
    if status == lib.ZB_EINVAL:
        raise ArgumentError(text)
    raise Error(text, _STATUS.get(status, "bug"))


class OutOfMemory(Error, MemoryError):
    """An allocation failed, or the memory limit was hit before there was an answer."""
