"""The only decorator for compiled code: `@kernel`.

Numba's own disk cache looks at nothing but the file of the function itself: after an edit in another file a cached caller keeps
running the old code, silently. So the cache folder is named after a hash of all sources that hold kernels. Importing this
module compiles nothing; a kernel is compiled, or loaded from the cache, at its first call.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.caching import NullCache

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).resolve().parent.parent
#: Folders whose files may hold kernels.
KERNEL_FOLDERS = ("core", "observe", "agents", "batch")


#: When this process read the sources, or somewhat earlier.
_IMPORTED = time.time()


def _sources(package: Path) -> list[Path]:
    """All files that may hold kernels."""
    return [path for folder in KERNEL_FOLDERS for path in sorted((package / folder).rglob("*.py"))]


def sources_hash(package: Path = _PACKAGE) -> str:
    """Sixteen hexadecimal digits that change with any source file that may hold kernels, and with what compiles them."""
    digest = hashlib.sha256()
    for path in _sources(package):
        digest.update(f"{path.relative_to(package)}\0".encode())
        digest.update(path.read_bytes())
    settings = (numba.__version__, platform.python_version(), platform.machine(), numba.config.BOUNDSCHECK)
    digest.update(repr(settings).encode())
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """Folder for compiled code and solver tables: `$KALOOKI_CACHE_DIR`, else in the user's cache folder, else a temporary one.

    Nothing is made or looked at before the first kernel is called.
    """
    chosen = os.environ.get("KALOOKI_CACHE_DIR")
    return Path(chosen) if chosen else _default_root()


@lru_cache(maxsize=1)
def _default_root() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    root = Path(base) / "kalooki_env"
    if _is_writable(root):
        return root
    # A home that is read-only or missing is common in containers.
    return Path(tempfile.gettempdir()) / f"kalooki_env-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


@lru_cache(maxsize=1)
def cache_dir() -> Path:
    """Folder of the compiled code of exactly these sources."""
    return cache_root() / sources_hash()


@lru_cache(maxsize=1)
def _can_cache() -> bool:
    """Whether compiled code may be stored; says so once if not."""
    if any(path.stat().st_mtime > _IMPORTED for path in _sources(_PACKAGE)):
        # What is compiled now is older than the files, by whose hash it would be found.
        print("kalooki_env: sources were edited after the import, so nothing is cached", file=sys.stderr, flush=True)
        return False
    if not _is_writable(cache_dir()):
        print(f"kalooki_env: {cache_dir()} cannot be written, so every process compiles anew", file=sys.stderr, flush=True)
        return False
    return True


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


#: Kernels widen every field that they read: Numba's `int` keeps unsigned numbers unsigned, and those mixed with signed ones
#: become floats.
i64 = np.int64


def kernel(function: F) -> F:
    """Compile a function with Numba: no Python objects, no GIL, cached on disk under the hash of all kernel sources.

    Kernels take arrays and integers, never single records from Python; read fields as `s["name"]` and widen them with `i64`
    at once; return codes and never print; do not call themselves. They allocate nothing (`memory.stack_array`), nor do they copy
    arrays by assignment to a slice, for which Numba allocates.
    """
    # Without `_nrt=False` each call of a kernel counts references to the arrays that it is given, up and down again, by atomic
    # instructions: a quarter of the time of a decision. Nothing but allocation needs these counts, and Numba says so.
    compiled = numba.njit(nogil=True, error_model="numpy", _nrt=False)(function)
    compiled._cache = _LazyCache(compiled)
    return compiled


class _LazyCache:
    """Opens Numba's disk cache when a kernel is first compiled.

    Numba's `cache=True` makes and probes folders already at import.
    """

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher = dispatcher

    def _open(self) -> Any:
        # Without a folder of ours Numba would fall back to one beside the sources, whose contents outlive edits in other files.
        if not _can_cache():
            self._dispatcher._cache = NullCache()
            return self._dispatcher._cache
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(cache_dir())
        try:
            self._dispatcher.enable_caching()
        finally:
            numba.config.CACHE_DIR = before
        return self._dispatcher._cache

    def load_overload(self, signature: Any, target: Any) -> Any:
        return self._open().load_overload(signature, target)

    def save_overload(self, signature: Any, data: Any) -> None:
        self._open().save_overload(signature, data)

    @property
    def cache_path(self) -> str:
        return str(self._open().cache_path)

    def flush(self) -> None:
        self._open().flush()


@kernel
def wrap(seat, num_players):
    """A seat from 0 to 2n - 1 brought back to the table: a division would cost as much as all the rest of a small kernel."""
    return seat - num_players if seat >= num_players else seat


def is_warm() -> bool:
    """Whether compiled code of these sources lies in the cache."""
    return cache_dir().is_dir() and any(cache_dir().rglob("*.nbc"))


def announce_compilation() -> None:
    """Say once on standard error that the first use compiles, if nothing is cached yet."""
    global _announced
    if not _announced and not is_warm():
        print("kalooki_env: compiling the engine, once, for about a minute ...", file=sys.stderr, flush=True)
    _announced = True


_announced = False
