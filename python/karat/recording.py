"""Recordings of runs (+record=FILE), record by record."""
from __future__ import annotations

import ctypes
import dataclasses
import json
import os
from typing import Any, Dict, Iterator, Optional, Union

from . import _abi, records
from ._library import Error, check_lib, fail, free_with, text
from .checker import Checker, strict_bits
from .kernel import Path


@dataclasses.dataclass(frozen=True)
class Tick:
    """The test bench looked for warps that hang in that cycle."""

    cycle: int


@dataclasses.dataclass(frozen=True)
class Objection:
    """The test bench found the core wrong by itself."""

    cycle: int
    text: str


Entry = Union[records.Record, Tick, Objection]


class Recording:
    """A recording. Each iteration reads the file from the start: for record in Recording("run.ktr"): ...

    complete is True after an iteration that came to the end of a whole file, False where the run that wrote it was cut off."""

    def __init__(self, path: Path):
        self.path = os.fspath(path)
        self.complete: Optional[bool] = None
        self.end: Dict[str, Any] = {}  # Data that was known at the end only
        self._end = b"{}"
        reader = self._open()
        self._meta: bytes = check_lib().karat_trace_meta(reader)
        self.meta: Dict[str, Any] = json.loads(self._meta)
        check_lib().karat_trace_reader_free(reader)

    def _open(self) -> int:
        diag = _abi.karat_diag()
        reader = check_lib().karat_trace_open(os.fsencode(self.path), diag)
        if not reader:
            raise fail(diag)
        return reader

    def __iter__(self) -> Iterator[Entry]:
        reader = self._open()
        try:
            yield from self._entries(reader)
        finally:
            check_lib().karat_trace_reader_free(reader)

    def _entries(self, reader: int) -> Iterator[Entry]:
        diag, entry = _abi.karat_diag(), _abi.karat_trace_entry()
        while True:
            check_lib().karat_trace_next(reader, entry, diag)
            if entry.kind == _abi.KARAT_TRACE_RECORD:
                yield records.parse(ctypes.string_at(entry.record, entry.size))
            elif entry.kind == _abi.KARAT_TRACE_TICK:
                yield Tick(entry.cycle)
            elif entry.kind == _abi.KARAT_TRACE_BENCH_ERROR:
                yield Objection(entry.cycle, text(entry.text))
            elif entry.kind == _abi.KARAT_TRACE_BAD:
                raise fail(diag)
            else:
                self.complete = entry.kind == _abi.KARAT_TRACE_END
                self._end = entry.text if self.complete else b"{}"
                self.end = json.loads(self._end)
                return

    def checker(self, strict: str = "", failures: Optional[int] = None, keep_going: bool = False) -> Checker:
        """A checker as the run had it, for records of this recording."""
        return Checker.of(*self._setup(strict, failures, keep_going))

    def _setup(self, strict: str = "", failures: Optional[int] = None, keep_going: bool = False) -> Any:
        """The configuration of the run, and what it points into."""
        diag = _abi.karat_diag()
        setup = check_lib().karat_trace_setup_make(self._meta, diag)
        if not setup:
            raise fail(diag)
        free_with(setup, check_lib().karat_trace_setup_free, setup)
        config = setup.contents.config
        config.strict |= strict_bits(strict)
        config.keep_going |= keep_going
        if failures is not None:
            config.max_failures = failures
        return config, setup

    def check(self, **options: Any) -> Checker:
        """Judge the run again, as `karat check` does: a checker with the verdict. options: those of checker()."""
        config, setup = self._setup(**options)
        checker = Checker.of(config, setup)
        for entry in self:
            if isinstance(entry, Tick):
                checker.tick(entry.cycle)
            elif isinstance(entry, Objection):
                checker.object(entry.cycle, entry.text)
            else:
                checker.record(entry)
        if not self.complete:
            checker.cut("the trace was cut off: the run that wrote it did not end")
        else:
            diag = _abi.karat_diag()
            if not check_lib().karat_trace_end_take(setup, self._end, diag):
                raise fail(diag)
            check_lib().karat_trace_setup_look_at(setup, check_lib().karat_checker_look_at(checker.pointer))
        return checker


class RecordingWriter:
    """Writes a recording that `karat check` and Recording can read. close() or a with statement completes it."""

    def __init__(self, path: Path, checker: Optional[Checker] = None):
        config = checker.config if checker else _abi.karat_check_config()
        if checker is None:
            check_lib().karat_check_config_default(config)
        diag = _abi.karat_diag()
        at = check_lib().karat_trace_meta_make(config, 1)
        meta = ctypes.string_at(at)
        _free(at)
        self.pointer: Optional[int] = check_lib().karat_trace_create(os.fsencode(path), meta, diag)
        if not self.pointer:
            raise fail(diag)

    def _writer(self) -> int:
        if not self.pointer:
            raise Error("the recording is closed")
        return self.pointer

    def record(self, record: records.Record) -> None:
        """Append a record."""
        check_lib().karat_trace_record(self._writer(), ctypes.byref(record), ctypes.sizeof(record))

    def tick(self, cycle: int) -> None:
        """Append that Checker.tick() was called."""
        check_lib().karat_trace_tick(self._writer(), cycle)

    def object(self, cycle: int, what: str) -> None:
        """Append that Checker.object() was called."""
        check_lib().karat_trace_bench_error(self._writer(), cycle, what.encode())

    def close(self) -> None:
        """Complete the file."""
        if self.pointer:
            diag, end = _abi.karat_diag(), check_lib().karat_trace_end_make(None)
            whole = check_lib().karat_trace_close(self.pointer, ctypes.string_at(end), diag)
            _free(end)
            self.pointer = None
            if not whole:
                raise fail(diag)

    def __enter__(self) -> "RecordingWriter":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]
_free.restype = None
