"""The folder of compiled code and solver tables: where it lies, which sources it is for, and whether it can be trusted.

Numba's own disk cache looks at nothing but the file of the function itself: after an edit in another file a
cached caller keeps running the old code, silently. So the folder is named after a hash of all sources that
compiled code depends on, and of nothing else: the same sources elsewhere find the same code. What lies in it
is pickled machine code, so a folder that somebody else can write to is not used.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import stat
import sys
import tempfile
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache

PACKAGE = Path(__file__).resolve().parent.parent
#: Imported by files that hold kernels, but never part of compiled code.
_NOT_COMPILED = ("errors.py", "core/cache.py")
#: When this process read the sources, or somewhat earlier.
_IMPORTED = time.time()
_KERNEL = re.compile(r"^@kernel$", re.MULTILINE)
_IMPORT = re.compile(r"^\s*from (?P<module>kalooki_env[\w.]*) import (?P<names>\([^)]*\)|.*)$", re.MULTILINE)
_UNWRITABLE = "it cannot be written"


# ---- sources -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def sources_of_kernels(package: Path = PACKAGE) -> tuple[Path, ...]:
    """All files that hold kernels, and those whose constants they may use: everything that they import, and so on."""
    # Read as text, not parsed: every start of a process does this, and parsing all files takes most of a second.
    waiting = [path for path in package.rglob("*.py") if _KERNEL.search(path.read_text(encoding="utf-8"))]
    found = set()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imported(path.read_text(encoding="utf-8"), package)
    return tuple(sorted(path for path in found if path.relative_to(package).as_posix() not in _NOT_COMPILED))


def _imported(text: str, package: Path) -> list[Path]:
    """Files of the package that a module imports."""
    found = []
    for match in _IMPORT.finditer(text):
        _, *folders = match["module"].split(".")
        for name in ("", *re.findall(r"\w+", match["names"])):
            place = package.joinpath(*folders, name)
            found += [path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()]
    return [path for path in found if path.parent != package or path.name != "__init__.py"]


def sources_hash(package: Path = PACKAGE) -> str:
    """Sixteen hexadecimal digits that change with any source that compiled code depends on, and with what compiles it."""
    digest = hashlib.sha256()
    for path in sources_of_kernels(package):
        digest.update(f"{path.relative_to(package).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    settings = (numba.__version__, platform.python_version(), platform.machine(), numba.config.BOUNDSCHECK)
    digest.update(repr(settings).encode())
    return digest.hexdigest()[:16]


# ---- folders -----------------------------------------------------------------------------------------------------


def cache_root() -> Path | None:
    """Folder for compiled code and solver tables, made if need be; None if there is none that can be trusted.

    `$KALOOKI_CACHE_DIR` if it is set, else `kalooki_env` in the user's cache folder, else one in the folder for
    temporary files. A sentence on standard error says why one was not used. Nothing is made or looked at before
    the first kernel is called.
    """
    return _root(os.environ.get("KALOOKI_CACHE_DIR"))


@lru_cache(maxsize=4)
def _root(chosen: str | None) -> Path | None:
    if chosen:
        candidates = [Path(chosen)]
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        user = os.getuid() if hasattr(os, "getuid") else "user"
        candidates = [Path(base) / "kalooki_env", Path(tempfile.gettempdir()) / f"kalooki_env-{user}"]
    for folder in candidates:
        reason = why_not_private(folder)
        if reason is None:
            return folder
        # A home that is read-only or missing is common in containers: nothing to tell as long as another folder serves.
        if chosen or not reason.startswith(_UNWRITABLE) or folder is candidates[-1]:
            _tell(f"{folder} is not used for compiled code: {reason}")
    return None


def why_not_private(folder: Path) -> str | None:
    """Make a folder that only this user can write to, if need be. The reason why it cannot be used, None if it can.

    Whoever can write to it could have this process run code of his.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = os.lstat(folder)
    except OSError as error:
        return f"{_UNWRITABLE} ({error.strerror or error})"
    if stat.S_ISLNK(found.st_mode):
        return "it is a symbolic link"
    if hasattr(os, "geteuid"):
        if found.st_uid != os.geteuid():
            return "it belongs to another user"
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return f"others can write to it; `chmod -R go-w {folder}` once its contents are known to be yours"
    if not os.access(folder, os.W_OK | os.X_OK):
        return _UNWRITABLE
    return None


@lru_cache(maxsize=1)
def cache_dir() -> Path | None:
    """Folder of the compiled code of exactly these sources; None where nothing can be stored."""
    root = cache_root()
    if root is None:
        return None
    folder = root / sources_hash()
    reason = why_not_private(folder)
    if reason is not None:
        _tell(f"{folder} is not used for compiled code: {reason}")
        return None
    return folder


def is_warm() -> bool:
    """Whether compiled code of these sources lies in the cache."""
    folder = cache_dir()
    return folder is not None and any(folder.rglob("*.nbc"))


@lru_cache(maxsize=1)
def _folder_for_code() -> Path | None:
    """Where compiled code is stored and found, None for nowhere; says so once if so."""
    if any(path.stat().st_mtime > _IMPORTED for path in sources_of_kernels()):
        # What is compiled now is older than the files, by whose hash it would be found.
        _tell("sources were edited after the import, so nothing is cached")
        return None
    folder = cache_dir()
    if folder is None:
        _tell("there is no folder for compiled code, so every process compiles anew; KALOOKI_CACHE_DIR names one")
    return folder


def _tell(sentence: str) -> None:
    print(f"kalooki_env: {sentence}", file=sys.stderr, flush=True)


# ---- Numba -------------------------------------------------------------------------------------------------------


class _Locator:
    """Tells Numba where the code of a kernel is stored: by the name of its module, wherever that lies."""

    def __init__(self, function: Any, path: str) -> None:
        folder = _folder_for_code()
        assert folder is not None, "there is no cache without a folder"
        self._folder = folder / function.__module__
        self._py_file = path  # Numba's warnings name it
        own = function.__module__.partition(".")[0] == PACKAGE.name
        # The name of the folder speaks for the sources of the package, and only for these.
        self._stamp = "" if own else hashlib.sha256(Path(path).read_bytes()).hexdigest()
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: Any, path: str) -> _Locator:
        return cls(function, path)

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Impl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [_Locator]  # noqa: RUF012  (Numba's form)


class _Cache(FunctionCache):  # type: ignore[misc]
    _impl_class = _Impl


class LazyCache:
    """Opens Numba's disk cache when a kernel is first compiled.

    Numba's `cache=True` makes and probes folders already at import.
    """

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher = dispatcher

    def _open(self) -> Any:
        # Without a folder of ours Numba would fall back to one beside the sources, whose contents outlive edits in other files.
        stored = _folder_for_code() is not None
        self._dispatcher._cache = _Cache(self._dispatcher.py_func) if stored else NullCache()
        return self._dispatcher._cache

    def load_overload(self, signature: Any, target: Any) -> Any:
        """As Numba's."""
        return self._open().load_overload(signature, target)

    def save_overload(self, signature: Any, data: Any) -> None:
        """As Numba's."""
        self._open().save_overload(signature, data)

    @property
    def cache_path(self) -> str:
        """As Numba's."""
        return str(self._open().cache_path)

    def flush(self) -> None:
        """As Numba's."""
        self._open().flush()
