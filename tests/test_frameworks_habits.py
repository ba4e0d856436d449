"""What frameworks do with environments beyond the interfaces: habits of theirs that need no framework to be shown."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv

import kalooki_env
from kalooki_env import errors

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.KalookiError)]


@pytest.mark.parametrize(
    "make",
    [
        lambda **options: gymnasium.make("Kalooki-v0", **options),
        lambda **options: gymnasium.make_vec("Kalooki-v0", num_envs=2, **options),
        kalooki_env.env,
        kalooki_env.parallel_env,
    ],
    ids=["make", "make_vec", "env", "parallel_env"],
)
def test_an_unknown_option_is_told_in_pythons_words(make: Callable[..., Any]) -> None:
    """TorchRL asks for `frameskip`, and leaves it out if that error says so."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        make(frameskip=1)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_errors_can_be_made_anew(kind: Any) -> None:
    """`gymnasium.make` makes them from a message, Gymnasium's worker processes from another error, and pickles from both."""
    first = kind("what is wrong")
    assert "what is wrong" in str(first)
    for other in (kind(first), pickle.loads(pickle.dumps(first)), pickle.loads(pickle.dumps(kind(first)))):
        assert str(other) == str(first)
        assert vars(other) == vars(first)


@pytest.mark.filterwarnings("ignore:.*(ERROR|Calling `close`)")  # Gymnasium tells of it as well
def test_an_illegal_action_in_a_worker_process_is_told_as_such() -> None:
    envs = AsyncVectorEnv([lambda: gymnasium.make("Kalooki-v0", opponents="random")])
    envs.reset(seed=1)
    with pytest.raises(kalooki_env.IllegalActionError, match="no action number of this table") as caught:
        envs.step(np.array([-1]))
    assert "rules: jamaican" in caught.value.position
    assert caught.value.seed == 1
    envs.close(terminate=True)
