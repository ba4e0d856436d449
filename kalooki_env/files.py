"""Reading files that anybody may have written: what is wrong with one is said in words, before anything large is made of it.

A reader catches `FileFault`, which is such a reason without the file's name, and makes an error of its own kind of it.
"""

from __future__ import annotations

import json
import math
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeAlias

from kalooki_env.errors import NotationTypeError
from kalooki_env.values import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Bytes that a file of text may have if its reader says nothing else: a hundred times as many as any that is written here.
MOST_BYTES = 1 << 20
#: How deep lists and mappings may lie in each other.
MOST_DEPTH = 50
#: Digits that a number may have. The longest one that is written here is the state of a generator, which has 39.
MOST_DIGITS = 100
#: Beginnings of files in encodings that are not read.
_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_BOM = b"\xef\xbb\xbf"
#: Bytes that are read at once.
_PART = 1 << 18


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class FileFault(ValueError):  # noqa: N818  (a reason without its place; readers make one of the package's errors of it)
    """Why a file cannot be used."""


# ---- bytes and text --------------------------------------------------------------------------------------------------


def is_folder(path: str | Path) -> bool:
    """Whether there is such a folder; a text that can be no path at all is none."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):  # too long for a name, or with a null byte
        return False


def is_file(path: str | Path) -> bool:
    """Whether there is such a file; a text that can be no path at all is none."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def read_bytes(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file.

    Args:
        path: the file.
        most: bytes that it may have.

    Raises:
        FileFault: no such file, one that cannot be read, or a larger one, which is not read.
    """
    try:
        with Path(path).open("rb") as file:
            if os.fstat(file.fileno()).st_size > most:
                raise FileFault(_too_large(most))
            return read_at_most(file, most)
    except OSError as error:
        raise FileFault(f"cannot be read: {error.strerror or error}") from error
    except FileFault:
        raise
    except ValueError as error:  # a null byte in the path
        raise FileFault(f"cannot be read: {error}") from error


def read_at_most(file: _Readable, most: int) -> bytes:
    """The rest of an open file.

    Raises:
        FileFault: it has more than so many bytes.
    """
    parts, size = [], 0
    while part := file.read(_PART):
        size += len(part)
        if size > most:
            raise FileFault(_too_large(most))
        parts.append(part)
    return b"".join(parts)


def _too_large(most: int) -> str:
    return f"is larger than the {most:,} bytes that such a file may have"


def decoded(data: bytes, may_begin: bool = True) -> str:
    """A text in UTF-8.

    Args:
        data: its bytes.
        may_begin: whether it is the beginning of a file, where a byte order mark may stand, which is left out.

    Raises:
        FileFault: it is in another encoding.
    """
    name = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)
    if name is not None:
        raise FileFault(f"is not UTF-8: it begins with the byte order mark of {name}")
    data = data.removeprefix(_BOM) if may_begin else data
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileFault(
            f"is not UTF-8: {error.reason} 0x{data[error.start]:02x} at offset {error.start}; other encodings, such as "
            f"Latin-1, are not read"
        ) from error
    if "\0" in text:
        raise FileFault("is not UTF-8 text: it holds null bytes, as UTF-16 without a byte order mark does")
    return text


def text_of(name: str, value: object) -> str:
    """A text that somebody has read from a file, without the byte order mark that some ways of reading leave there.

    Args:
        name: of what, for messages.
        value: the text.

    Raises:
        NotationTypeError: no text.
    """
    if isinstance(value, str):
        return value.removeprefix("\ufeff")
    hint = "; bytes are decoded first, as UTF-8" if isinstance(value, bytes | bytearray) else ""
    raise NotationTypeError(f"{name} {shown(value)} is not allowed; allowed: a text{hint}")


def read_text(path: str | Path, most: int = MOST_BYTES) -> str:
    """The text of a file, see `read_bytes` and `decoded`.

    Raises:
        FileFault: what these two refuse.
    """
    return decoded(read_bytes(path, most))


# ---- JSON and YAML ---------------------------------------------------------------------------------------------------


def json_of(text: str) -> Any:
    """What a text in JSON says.

    Raises:
        FileFault: no JSON, a key twice, half of a surrogate pair, no number (NaN), one that is too large, or lists and mappings
            that lie too deep in each other.
    """
    try:
        found = json.loads(text, parse_constant=float, parse_int=_int, object_pairs_hook=_each_key_once)
    except RecursionError:
        raise FileFault("is not JSON: nested too deeply") from None
    except FileFault:
        raise
    except ValueError as error:
        raise FileFault(f"is not JSON: {error}") from None
    if "\\ud" in text.lower():
        try:
            json.dumps(found, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise FileFault("has half of a surrogate pair, which is no text") from None
    _check_values(found)
    return found


def read_json(path: str | Path, most: int = MOST_BYTES) -> Any:
    """What a file in JSON says, see `read_text` and `json_of`.

    Raises:
        FileFault: what these two refuse.
    """
    return json_of(read_text(path, most))


def yaml_of(text: str) -> Any:
    """What a text in YAML says: mappings, lists, texts, numbers, truth values and nulls. Needs the package PyYAML.

    Raises:
        FileFault: no YAML, a key twice, an alias or tag, a number that is none or is too large, another kind of value, or lists
            and mappings that lie too deep in each other.
        ImportError: no PyYAML.
    """
    import yaml

    depth = 0
    try:
        # Events come one after the other, whatever lies in what. Aliases can make a small file a large value; tags ask for
        # other kinds of values.
        for event in yaml.parse(text, yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise FileFault(f"has the alias *{shown(event.anchor)[1:-1]}: aliases are not read")
            tag = getattr(event, "tag", None)
            if tag is not None:
                raise FileFault(f"has the tag {shown(tag)}: tags are not read")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MOST_DEPTH:
                raise FileFault("is nested too deeply")
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            _check_nodes(node)
            found = None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except FileFault:
        raise
    except (yaml.YAMLError, ValueError) as error:
        raise FileFault(f"is not YAML: {error}") from None
    _check_values(found)
    return found


def read_yaml(path: str | Path, most: int = MOST_BYTES // 8) -> Any:
    """What a file in YAML says, see `read_text` and `yaml_of`.

    Raises:
        FileFault: what these two refuse.
        ImportError: no PyYAML.
    """
    return yaml_of(read_text(path, most))


def _int(word: str) -> int | float:
    """A whole number; infinite, and so refused further on, if it has more digits than anybody writes."""
    return int(word) if len(word) <= MOST_DIGITS else math.inf


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise FileFault("has a key twice")
    return values


#: Keys that lead to a value, the last one first.
_Path: TypeAlias = "tuple[_Path, object] | tuple[()]"


def _words(path: _Path) -> str:
    """Keys with dots between them."""
    keys: list[str] = []
    while path:
        path, key = path
        keys.append(str(key) if len(str(key)) < 60 else shown(key))
    return ".".join(reversed(keys)) or "the whole"


def _check_values(value: Any, path: _Path = (), depth: int = 0) -> None:
    """Refuse numbers that are none or are too large, and what is nested too deeply.

    Raises:
        FileFault: there is such a value; its keys are named.
    """
    if depth > MOST_DEPTH:
        raise FileFault("is nested too deeply")
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_values(key, path, depth + 1)
            _check_values(inner, (path, key), depth + 1)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _check_values(inner, (path, number), depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise FileFault(f"is not allowed: {_words(path)} is no number, or one that is too large")


#: Kinds of values of YAML that are read.
_KINDS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("map", "seq", "str", "int", "float", "bool", "null"))
_NUMBERS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("int", "float"))


def _check_nodes(node: Any, path: _Path = ()) -> None:
    """Refuse what PyYAML would take in silence or stumble over.

    That is a mapping with a key twice, of which it takes the last one, dates and other kinds of values that nobody here has a
    use for, and numbers of too many digits.

    Raises:
        FileFault: there is such a thing; its keys are named.
    """
    if node is None:
        return
    if node.tag not in _KINDS:
        kind = node.tag.rpartition(":")[2]
        raise FileFault(f"is not allowed: {_words(path)} is a {kind}, which is not read; texts that look so stand in quotes")
    if isinstance(node.value, str):
        if node.tag in _NUMBERS and len(node.value) > MOST_DIGITS:
            raise FileFault(f"is not allowed: {_words(path)} is a number of {len(node.value):,} digits")
        return
    names: set[str] = set()
    for number, one in enumerate(node.value):
        if not isinstance(one, tuple):
            _check_nodes(one, (path, number))
            continue
        key, value = one
        if not isinstance(key.value, str):
            raise FileFault(f"is not allowed: a key in {_words(path)} is no text")
        _check_nodes(key, path)
        inner = (path, key.value)
        if key.value in names:
            raise FileFault(f"has the key {_words(inner)} twice, again in line {key.start_mark.line + 1}")
        names.add(key.value)
        _check_nodes(value, inner)


# ---- arrays ----------------------------------------------------------------------------------------------------------


def read_arrays(path: str | Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file that `np.savez` wrote. Nothing is unpickled.

    Raises:
        FileFault: no such file, or an array that says it is larger than what is stored of it.
    """
    import numpy as np

    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if member.compress_type != zipfile.ZIP_STORED:
                    raise FileFault(f"has {shown(member.filename)} compressed, which is not read")
                with archive.open(member) as file:
                    _check_size(member, file)
        with np.load(path, allow_pickle=False) as loaded:
            return {name: loaded[name] for name in loaded.files}
    except OSError as error:
        raise FileFault(f"cannot be read: {error.strerror or error}") from error
    except FileFault:
        raise
    except Exception as error:  # zipfile and NumPy raise many kinds for damaged files
        raise FileFault(f"is not what np.savez wrote: {type(error).__name__}: {error}") from error


def _check_size(member: zipfile.ZipInfo, file: IO[bytes]) -> None:
    """Refuse an array that is not as large as its header says.

    Raises:
        FileFault: it is not.
    """
    import numpy as np

    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    version = np.lib.format.read_magic(file)
    if version not in read:
        raise FileFault(f"has {shown(member.filename)} in version {version} of NumPy's format, which is not read")
    shape, _, dtype = read[version](file)
    wanted = math.prod(shape) * dtype.itemsize
    if dtype.hasobject or file.tell() + wanted != member.file_size:
        raise FileFault(f"has {shown(member.filename)} with {member.file_size:,} bytes for {dtype} {shape}")


def check_parts(found: Mapping[str, str], needed: Mapping[str, str]) -> None:
    """Refuse arrays of other names, types or shapes than are needed.

    Args:
        found, needed: types and shapes in words, by name.

    Raises:
        FileFault: there are such.
    """
    wrong = [name for name in sorted({*found, *needed}) if found.get(name) != needed.get(name)]
    if wrong:
        lines = [
            f"{shown(name)}: found {found.get(name, 'nothing')}, needed {needed.get(name, 'nothing')}" for name in wrong[:10]
        ]
        more = f"; and {len(wrong) - 10} more" if len(wrong) > 10 else ""
        raise FileFault(f"does not fit: {'; '.join(lines)}{more}")
