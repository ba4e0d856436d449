"""Playing chunks, in this process or in several."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from kalooki_env.agents import AgentLike
from kalooki_env.agents.play import Player
from kalooki_env.arena.chunks import Cast, Chunk, Ends, play_chunk
from kalooki_env.arena.tables import Progress
from kalooki_env.errors import AgentError, ConfigError
from kalooki_env.game.engine import Engine
from kalooki_env.values import whole_number

#: Seconds between two looks at how far the other processes are.
_LOOK_SECONDS = 0.5
_NO_GUARD = (
    "none of {} jobs could start: each imports the script once more. A script that plays in several processes must be a file, "
    'and do its work under `if __name__ == "__main__":`'
)
#: Processes; Windows can wait for no more.
MOST_JOBS = 61 if sys.platform == "win32" else 512


def check_jobs(jobs: object) -> int:
    """A number of processes.

    Raises:
        ConfigError: not a whole number from 1 to `MOST_JOBS`.
    """
    return whole_number("jobs", jobs, 1, MOST_JOBS)


def play_chunks(
    chunks: Sequence[Chunk], agents: Mapping[str, AgentLike], jobs: int, progress: Progress
) -> Generator[tuple[int, Ends], None, None]:
    """Play chunks; what the caller does with a result must not depend on their order.

    Args:
        chunks: what to play.
        agents: agents by the names that line-ups call them, or names to load them by.
        jobs: processes. One is this process.
        progress: called with the number of tables that have finished since its last call.

    Yields:
        Number of a chunk and how its tables ended, in the order in which they end. Close the iterator when leaving early:
        that ends the other processes.

    Raises:
        AgentError: an agent that fails, or a process that ends by itself.
        ConfigError: an agent that cannot be sent to other processes.
    """
    jobs = check_jobs(jobs)
    if jobs > 1 and chunks:
        yield from _play_in_processes(chunks, agents, jobs, progress)
        return
    cast = Cast(agents)
    for number, chunk in enumerate(chunks):
        with one_thread():
            ends = play_chunk(chunk, cast, progress)
        yield number, ends


def _play_in_processes(
    chunks: Sequence[Chunk], agents: Mapping[str, AgentLike], jobs: int, progress: Progress
) -> Generator[tuple[int, Ends], None, None]:
    script = sys.modules["__main__"]
    path = getattr(script, "__file__", None)
    if path is not None and getattr(script, "__spec__", None) is None and not os.path.isfile(path):  # standard input
        raise ConfigError(_NO_GUARD.format(jobs))
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        # Another process that plays is importing the script, which would begin everything once more. The first one says why.
        raise SystemExit(1)
    packed = {name: agent if isinstance(agent, str) else _packed(name, agent) for name, agent in agents.items()}
    context = multiprocessing.get_context("spawn")  # a fork would copy whatever threads and locks the parent happens to have
    done, started = context.Value("q", 0), context.Value("b", 0)
    # The other end is nowhere else: it closes when this process closes it, or ends in whatever way.
    lifeline, held = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(min(jobs, len(chunks)), context, _begin, (packed, done, started, lifeline))
    seen = 0
    try:
        numbers: dict[Future[Ends], int] = {pool.submit(_play, chunk): number for number, chunk in enumerate(chunks)}
        waiting = set(numbers)
        while waiting:
            finished, waiting = wait(waiting, _LOOK_SECONDS, FIRST_COMPLETED)
            now = done.value
            progress(now - seen)
            seen = now
            for future in finished:
                yield numbers[future], future.result()
    except BrokenProcessPool as error:
        if not started.value:
            raise ConfigError(_NO_GUARD.format(jobs)) from None
        raise AgentError("a process that played ended by itself: the agent ended it, or memory ran out") from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        held.close()
        pool.shutdown()
        lifeline.close()


@contextmanager
def one_thread() -> Iterator[None]:
    """Have PyTorch, if it is in use, compute in one thread: small networks gain nothing by more, and sums keep their order."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _packed(name: str, agent: AgentLike) -> bytes:
    try:
        return pickle.dumps(agent)
    except Exception as error:
        raise ConfigError(
            f"agent {name!r} cannot be sent to other processes ({type(error).__name__}: {error}); allowed with more than one "
            f"job: names, and agents that can be pickled"
        ) from error


# ---- in the other processes ------------------------------------------------------------------------------------------

_cast: Cast | None = None
_done: Any = None


def _begin(packed: Mapping[str, str | bytes], done: Any, started: Any, lifeline: Connection) -> None:
    global _cast, _done
    started.value = 1
    _cast, _done = _Unpacking(packed), done
    os.environ["OMP_NUM_THREADS"] = "1"  # for a PyTorch that is still to be imported
    # Ctrl-C reaches all processes of a terminal; the parent deals with it for all.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        lifeline.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class _Unpacking(Cast):
    """Agents that came as names or pickles; unpacked when they are to play, so that errors find their way back."""

    def __init__(self, packed: Mapping[str, str | bytes]) -> None:
        agents: dict[str, AgentLike] = {}
        super().__init__(agents)
        self._packed, self._unpacked = packed, agents

    def player(self, table: Engine, name: str, reveal: bool, is_watched: bool = False) -> Player:
        """See `Cast.player`."""
        if name not in self._unpacked:
            packed = self._packed[name]
            try:
                self._unpacked[name] = packed if isinstance(packed, str) else pickle.loads(packed)
            except Exception as error:
                raise AgentError(f"agent {name!r} cannot be read in another process: {type(error).__name__}: {error}") from error
        return super().player(table, name, reveal, is_watched)


def _note(more: int) -> None:
    with _done.get_lock():
        _done.value += more


def _play(chunk: Chunk) -> Ends:
    with one_thread():
        assert _cast is not None  # `_begin` comes first
        return play_chunk(chunk, _cast, _note)
