"""What `render` gives in all environments, in mode `rgb_array`: pictures of one size, of what the seat sees, also as videos."""

from __future__ import annotations

import copy
import itertools
import sys
import types
from collections import Counter
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from batch_tools import permute_hidden, random_legal
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import render_test
from test_match_env import SHORT, rig

import kalooki_env
from kalooki_env import core
from kalooki_env.game.notation import action_text
from kalooki_env.render.picture import table_picture

#: One table, many ways to it: the options that all of them take.
DOORS: dict[str, Any] = {
    "env": kalooki_env.env,
    "raw_env": kalooki_env.raw_env,
    "parallel_env": kalooki_env.parallel_env,
    "SeatEnv": kalooki_env.SeatEnv,
    "make_vec": lambda **options: kalooki_env.make_vec(2, **options),
    "gymnasium.make": lambda **options: gymnasium.make("Kalooki-v0", **options),
    "gymnasium.make_vec": lambda **options: gymnasium.make_vec(
        "Kalooki-v0", num_envs=2, vectorization_mode="vector_entry_point", **options
    ),
}


def step_at_random(env: Any, rng: np.random.Generator) -> bool:
    """A random legal action; whether the episode is over."""
    return bool(env.step(int(random_legal(env.unwrapped.action_masks()[None], rng)[0]))[2])


@pytest.mark.parametrize("door", DOORS)
def test_every_environment_gives_pictures(door: str) -> None:
    env = DOORS[door](render_mode="rgb_array")
    assert env.render_mode == "rgb_array"
    assert {"ansi", "rgb_array"} <= set(env.metadata["render_modes"])
    assert env.metadata["render_fps"] > 0
    env.reset(seed=1)
    pictures = env.render()
    for picture in pictures if isinstance(pictures, tuple) else [pictures]:
        assert (picture.shape, picture.dtype) == ((640, 960, 3), np.uint8)


@pytest.mark.parametrize("door", DOORS)
def test_without_pillow_no_environment_promises_pictures(door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    for name in ("paint", "faces", "labels", "plan"):
        monkeypatch.delitem(sys.modules, f"kalooki_env.render.{name}", raising=False)
        monkeypatch.delattr(f"kalooki_env.render.{name}", raising=False)
    with pytest.raises(kalooki_env.ConfigError, match=r"pip install 'kalooki_env\[render\]'"):
        DOORS[door](render_mode="rgb_array")
    DOORS[door](render_mode="ansi").close()


def test_the_checkers_of_gymnasium_and_pettingzoo() -> None:
    check_env(gymnasium.make("Kalooki-v0", on_illegal="replace", render_mode="rgb_array").unwrapped)
    assert "rgb_array" in kalooki_env.raw_env.metadata["render_modes"]
    render_test(lambda **options: kalooki_env.env("kaluki51", 6, **options))


def test_the_aec_environment_shows_what_the_agent_to_move_sees(rng: np.random.Generator) -> None:
    env = kalooki_env.env(deal=3, render_mode="rgb_array")
    env.reset(seed=5)
    for _ in range(60):
        view = np.zeros(1, core.VIEW)
        seat = env.possible_agents.index(env.agent_selection)
        core.views_of_lanes(env._states, env._record, np.zeros(1, np.int64), np.array([seat]), view)
        numbers = np.flatnonzero(env.last()[0]["action_mask"])
        legal = [action_text(int(number), env._states[0], env._engine) for number in numbers]
        before = env._states.tobytes()
        assert env.render().tobytes() == table_picture(view[0], env._engine, legal=legal).tobytes()
        assert env._states.tobytes() == before
        env.step(int(rng.choice(numbers)))


def test_hidden_cards_do_not_get_into_pictures(rng: np.random.Generator) -> None:
    env = kalooki_env.raw_env("jamaican_club", 4, render_mode="rgb_array")
    env.reset(seed=11)
    source, trial = np.zeros(1, core.STATE), np.zeros(1, core.STATE)
    source["rng"] = 5
    compared = 0
    for step in range(150):
        if env.terminations[env.agent_selection]:
            env.reset()
        if step % 3 == 0:
            twin = copy.deepcopy(env)
            seat = env.possible_agents.index(env.agent_selection)
            if core.resample_lane(twin._states, twin._record, twin._feas, 0, seat, source, trial, 50):
                compared += twin._states.tobytes() != env._states.tobytes()
                assert twin.render().tobytes() == env.render().tobytes()
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    assert compared > 30

    one, other = (kalooki_env.make_vec(3, render_mode="rgb_array") for _ in range(2))
    one.reset(seed=3)
    other.set_state(one.get_state())
    assert permute_hidden(other.lanes, other.lanes.lanes["seat"], source) == 3
    assert all((mine == theirs).all() for mine, theirs in zip(one.render(), other.render(), strict=True))
    shown = kalooki_env.make_vec(3, render_mode="rgb_array", reveal=True)
    shown.set_state(one.get_state())
    assert all((mine != theirs).any() for mine, theirs in zip(one.render(), shown.render(), strict=True))


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_many_tables_are_shown_as_single_ones(mode: Any, rng: np.random.Generator) -> None:
    many = kalooki_env.make_vec(3, render_mode=mode, autoreset_mode="disabled")
    singles = [kalooki_env.SeatEnv(render_mode=mode) for _ in range(3)]
    many.reset(seed=20)
    for lane, env in enumerate(singles):
        env.reset(seed=20 + lane)
    for _ in range(6):
        frames = many.render()
        assert isinstance(frames, tuple)
        for frame, env in zip(frames, singles, strict=True):
            assert np.array_equal(frame, env.render())
        actions = random_legal(many.action_masks(), rng)
        many.step(actions)
        for action, env in zip(actions, singles, strict=True):
            env.step(action)


@pytest.mark.parametrize("autoreset_mode", ["next_step", "same_step"])
def test_many_tables_are_shown_through_ends_and_resets(autoreset_mode: Any) -> None:
    env = kalooki_env.make_vec(
        4, render_mode="rgb_array", autoreset_mode=autoreset_mode, num_players=6, deal=1, opponents="random"
    )
    env.reset(seed=1)
    ended = 0
    for step in range(500):
        ended += int(env.step(env.sample_actions())[2].any())
        if env.lanes.over.any() or step % 50 == 0:
            assert {frame.shape for frame in env.render()} == {(800, 1280, 3)}
        if ended == 3:
            break
    assert ended == 3


def test_all_frames_of_a_match_have_one_shape_also_in_a_sudden_death(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    """A table of two within a match of five: the picture is that of a table of five."""
    rig(monkeypatch, [(40, 20, 50, 20, 30), (10, 10, 30, 10, 20)])
    options: dict[str, Any] = {"rules": SHORT, "num_players": 5, "episode": "match", "render_mode": "rgb_array"}
    env = kalooki_env.env(**options)
    env.reset(seed=2)
    sizes: Counter[int] = Counter()
    while not env.terminations[env.agent_selection]:
        sizes[len(env._sitting)] += 1
        if sizes[len(env._sitting)] % 25 == 1:
            assert env.render().shape == (800, 1280, 3)
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
    assert set(sizes) == {5, 2}
    assert env.render().shape == (800, 1280, 3)

    seat = kalooki_env.SeatEnv(seat=0, opponents="random", **options)
    seat.reset(seed=2)
    over = False
    while not over:
        over = step_at_random(seat, rng)
    assert seat.render().shape == (800, 1280, 3)
    assert seat._vector.lanes.lanes[0]["table"] == 2


def test_out_of_time_and_out_of_place() -> None:
    for door, make in DOORS.items():
        if not door.startswith("gymnasium"):
            with pytest.raises(kalooki_env.EnvironmentStateError, match=r"render before reset: call reset\(\) first"):
                make(render_mode="rgb_array").render()
            unset = make()
            unset.reset(seed=1)
            with pytest.raises(kalooki_env.EnvironmentStateError, match=r"without a mode.*render_mode='rgb_array'"):
                unset.render()
            with pytest.raises(kalooki_env.ConfigError, match="render_mode 'depth' is not allowed"):
                make(render_mode="depth")
    with pytest.raises(kalooki_env.ConfigError, match="render_mode 'human' is not allowed; allowed: None, ansi, rgb_array"):
        kalooki_env.make_vec(2, render_mode="human")  # type: ignore[arg-type]


# ---- videos ------------------------------------------------------------------------------------------------------


def stub_of_moviepy(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[np.ndarray], int]]:
    """Stand in for the package that writes videos: the frames and frame rates that it is given."""
    written: list[tuple[list[np.ndarray], int]] = []

    class ImageSequenceClip:
        def __init__(self, frames: list[np.ndarray], fps: int) -> None:
            written.append((list(frames), fps))

        def write_videofile(self, path: str, logger: Any) -> None:
            Path(path).write_bytes(b"video")

    names = ("moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip")
    for name in names:
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules[names[-1]].ImageSequenceClip = ImageSequenceClip  # type: ignore[attr-defined]
    return written


def record(env: Any, folder: Path, rng: np.random.Generator) -> int:
    """Record an episode; how many steps it had."""
    video = gymnasium.wrappers.RecordVideo(env, str(folder / "videos"), episode_trigger=lambda _: True)
    video.reset(seed=4)
    steps, over = 0, False
    while not over:
        over = step_at_random(video, rng)
        steps += 1
    video.close()
    return steps


@pytest.mark.parametrize("name", ["Kalooki-v0", "Kaluki51-2p-v0", "Kalooki-8p-v0"])
def test_videos_of_episodes(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rng: np.random.Generator) -> None:
    written = stub_of_moviepy(monkeypatch)
    steps = record(gymnasium.make(name, render_mode="rgb_array", deal=1), tmp_path, rng)
    ((frames, fps),) = written
    assert fps == kalooki_env.SeatEnv.metadata["render_fps"]
    assert len(frames) == steps + 1
    assert len({frame.shape for frame in frames}) == 1
    assert all((one != other).any() for one, other in itertools.pairwise(frames))


def test_videos_of_many_tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    written = stub_of_moviepy(monkeypatch)
    envs = kalooki_env.make_vec(4, render_mode="rgb_array")
    video = gymnasium.wrappers.vector.RecordVideo(
        envs, str(tmp_path / "videos"), step_trigger=lambda step: step == 0, video_length=5
    )
    video.reset(seed=1)
    for _ in range(6):
        video.step(envs.sample_actions())
    video.close()
    ((frames, _),) = written
    assert len(frames) >= 5
    assert {frame.shape for frame in frames} == {(2 * 640, 2 * 960, 3)}


def test_a_video_is_written(tmp_path: Path, rng: np.random.Generator) -> None:
    pytest.importorskip("moviepy")
    record(gymnasium.make("Kalooki-v0", render_mode="rgb_array", deal=1), tmp_path, rng)
    (path,) = (tmp_path / "videos").glob("*.mp4")
    assert path.stat().st_size > 10_000


def test_stable_baselines_asks_for_pictures() -> None:
    tools = pytest.importorskip("stable_baselines3.common.env_util")
    env = tools.make_vec_env("Kalooki-v0", n_envs=2)
    env.reset()
    assert [picture.shape for picture in env.get_images()] == [(640, 960, 3)] * 2
    assert env.render().shape == (2 * 640, 960, 3)
    env.close()
