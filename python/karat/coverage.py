"""Coverage of the ISA and of the model's state (docs/coverage.md)."""
from __future__ import annotations

import ctypes
import dataclasses
import os
import weakref
from typing import Iterator, List, Optional, Tuple

from . import _abi
from ._library import Error, check_lib, fail, text
from .isa import profile_name, profile_number
from .kernel import Path
from .model import Commit, Model


@dataclasses.dataclass(frozen=True)
class Group:
    """A group of bins: a cross of axes."""

    number: int
    name: str
    about: str
    axes: Tuple[str, ...]
    bins: int
    excluded: int  # Bins that nothing can reach
    hit: int  # Bins hit of those not excluded

    @property
    def percent(self) -> float:
        """Hit bins over bins that are not excluded, in percent."""
        return 100.0 * self.hit / max(1, self.bins - self.excluded)


@dataclasses.dataclass(frozen=True)
class Bin:
    """A point of a group."""

    group: str
    at: Tuple[str, ...]  # The point of each axis
    hits: int


class Coverage:
    """Coverage by runs: of Run(kernel, coverage=...), of a file, or of any steps by launch() and step().

    threads: of a warp. max_warps: warp handles that steps may have. profile: None is the default one."""

    def __init__(self, threads: int = 32, max_warps: int = 64, profile: Optional[str] = None, sv39: bool = False):
        if threads not in (1, 2, 4, 8, 16, 32):
            raise Error(f"threads={threads}: expected a power of two from 1 to 32")
        self._own(check_lib().karat_cov_create(profile_number(profile), threads, max_warps))
        if sv39 and not check_lib().karat_cov_translate(self.pointer):
            raise MemoryError
        self._max_warps = max_warps

    def _own(self, pointer: Optional[int]) -> None:
        if not pointer:
            raise MemoryError
        self.pointer = pointer
        weakref.finalize(self, check_lib().karat_cov_destroy, pointer)

    @classmethod
    def load(cls, path: Path, max_warps: int = 64) -> "Coverage":
        """Read a file that save() or a command has written."""
        diag = _abi.karat_diag()
        pointer = check_lib().karat_cov_load(os.fsencode(path), max_warps, diag)
        if not pointer:
            raise fail(diag)
        coverage = cls.__new__(cls)
        coverage._own(pointer)
        coverage._max_warps = max_warps
        return coverage

    def save(self, path: Path) -> None:
        """Write a file for `karat cov`."""
        diag = _abi.karat_diag()
        if not check_lib().karat_cov_save(self.pointer, os.fsencode(path), diag):
            raise fail(diag)

    def launch(self, warp: int, desc: _abi.karat_launch_desc, warps: int) -> None:
        """A warp is launched under that handle, in a workgroup of so many."""
        if warp >= self._max_warps:
            raise Error(f"warp {warp}: this coverage has handles 0 to {self._max_warps - 1} (max_warps)")
        check_lib().karat_cov_launch(self.pointer, warp, desc, warps)

    def step(self, model: Model, commit: Commit) -> None:
        """A step was taken."""
        check_lib().karat_cov_step(self.pointer, model.pointer, commit.warp, commit.raw)

    def end(self) -> None:
        """A run has ended."""
        if not check_lib().karat_cov_end(self.pointer):
            raise MemoryError

    def merge(self, other: "Coverage") -> None:
        """Add the hits of another one, of the same profile."""
        if not check_lib().karat_cov_merge(self.pointer, other.pointer):
            raise Error(f"coverage of profile {other.profile} cannot be added to one of {self.profile}")

    @property
    def profile(self) -> str:
        """The ISA's profile."""
        return profile_name(check_lib().karat_cov_profile(self.pointer))

    @property
    def devices(self) -> int:
        """Threads per warp of its devices: a set of powers of two, more than one after merge()."""
        return check_lib().karat_cov_devices(self.pointer)

    @property
    def runs(self) -> int:
        """Runs that have ended."""
        return check_lib().karat_cov_runs(self.pointer)

    @property
    def steps(self) -> int:
        """Steps seen."""
        return check_lib().karat_cov_steps(self.pointer)

    @property
    def groups(self) -> List[Group]:
        """The groups of its profile and devices."""
        return [self._group(number) for number in range(check_lib().karat_cov_num_groups()) if check_lib().karat_cov_bins(self.pointer, number)]

    def _group(self, number: int) -> Group:
        info = check_lib().karat_cov_group_info(number).contents
        total = check_lib().karat_cov_sum_of(self.pointer, number)
        axes = tuple(text(check_lib().karat_cov_axis_name(number, axis)) for axis in range(info.num_axes))
        return Group(number, text(info.name), text(info.about), axes, total.bins, total.excluded, total.hit)

    def bins(self, group: Group) -> Iterator[Bin]:
        """The bins of a group that something can reach; those with hits 0 are its holes."""
        at = (ctypes.c_uint32 * _abi.KARAT_COV_AXES)()
        for number in range(group.bins):
            if check_lib().karat_cov_excluded(self.pointer, group.number, number) is not None:
                continue
            check_lib().karat_cov_at(self.pointer, group.number, number, at)
            names = tuple(text(check_lib().karat_cov_point_name(self.pointer, group.number, at, axis)) for axis in range(len(group.axes)))
            yield Bin(group.name, names, check_lib().karat_cov_hits(self.pointer, group.number, number))

    def holes(self, group: Group) -> Iterator[Bin]:
        """The bins that nothing has hit so far."""
        return (one for one in self.bins(group) if not one.hits)

    @property
    def percent(self) -> float:
        """Of all groups: hit bins over bins that are not excluded, in percent."""
        total = check_lib().karat_cov_sum_all(self.pointer)
        return 100.0 * total.hit / max(1, total.bins - total.excluded)
