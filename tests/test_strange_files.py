"""Files of strangers: whatever stands in them, errors are the package's own, come at once, and name the file.

Each value of real files is exchanged for values that nobody means, is left out, or is misspelt.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from record_tools import lines_of, play_out, small_record
from strange_values import STRANGE, all_mutations, mutations, places_in

from kalooki_env import (
    AgentError,
    CheckpointError,
    ConfigError,
    Game,
    KalookiError,
    RecordError,
    RecordWriter,
    Rules,
    RulesError,
    agents,
    read_record,
)
from kalooki_env.arena import scoreboard
from kalooki_env.arena.suite import SPECS
from kalooki_env.cli import bench_plot, bench_table, replay, warmup
from kalooki_env.records.lines import START

ROOT = Path(__file__).resolve().parent.parent
#: Seconds of work that reading one small file may take, refused or not.
SECONDS = 3.0


def only_own_errors(
    cases: Iterable[tuple[str, str]], path: Path, read: Callable[[], object], kind: type[KalookiError]
) -> dict[str, str]:
    """Read a file with each content in turn; the messages of those that were refused, by what was done to them."""
    refused = {}
    for name, text in cases:
        path.write_bytes(text.encode("utf-8"))
        began = time.process_time()
        try:
            read()
        except kind as error:
            refused[name] = str(error)
        except Exception as error:
            raise AssertionError(f"{name}: {type(error).__name__}: {str(error)[:300]}") from error
        assert time.process_time() - began < SECONDS, name
    assert not [name for name, message in refused.items() if len(message) > 5_000], "a message that nobody reads"
    return refused


# ---- checkpoints -----------------------------------------------------------------------------------------------------


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """A copy of a checkpoint."""
    pytest.importorskip("torch")
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    for name in ("checkpoint.json", "weights.safetensors"):
        (folder / name).write_bytes((ROOT / "checkpoints" / "quickstart" / name).read_bytes())
    return folder


def with_digest(text: str) -> str:
    """A description whose digest is right: what a forger would write."""
    from kalooki_env.agents.checkpoint import info_digest

    try:
        info = json.loads(text)
        info["info_sha256"] = info_digest(info)
        return json.dumps(info)
    except (ValueError, TypeError, RecursionError):  # refused before anybody looks at the digest
        return text


def test_every_value_of_a_checkpoints_description(checkpoint: Path) -> None:
    path = checkpoint / "checkpoint.json"
    info = json.loads(path.read_text(encoding="utf-8"))
    # What the configuration and the evaluation say is free.
    places = [place for place in places_in(info) if len(place) == 1 or place[0] not in ("config", "evaluation")]
    cases = [(name, with_digest(text)) for place in places for name, text in mutations(info, place)]
    cases += [(f"the whole: {name}", text) for name, text in STRANGE.items()]
    refused = only_own_errors(cases, path, lambda: agents.load(checkpoint), CheckpointError)
    assert len(refused) > 0.8 * len(cases)
    assert all("checkpoint.json" in message or "weights.safetensors" in message for message in refused.values())
    for word in ("thousands of digits", "infinite when read", "NaN", "Infinity"):
        assert "checkpoint.json is not allowed: network.hidden.0 is no number" in refused[f"network.hidden.0: {word}"]
    for key in (
        "decisions",
        "rules",
        "num_actions",
        "observation.max_seats",
        "network.hidden.0",
        "weights_sha256",
        "versions.numpy",
    ):
        for name in ("missing", "null", "a mapping"):
            if not key.endswith(("numpy", "0")) or name != "missing":
                assert key in refused[f"{key}: {name}"]
    assert "network.features" in refused["network.features: misspelt"]
    assert "did you mean" in refused["num_actions: misspelt"]


def test_every_value_of_the_header_of_weights(checkpoint: Path) -> None:
    path, told = checkpoint / "weights.safetensors", checkpoint / "checkpoint.json"
    data = path.read_bytes()
    info = json.loads(told.read_text(encoding="utf-8"))
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])

    def read(text: bytes, length: int | None = None) -> None:
        whole = (len(text) if length is None else length).to_bytes(8, "little") + text + data[8 + len(header_text) :]
        path.write_bytes(whole)
        told.write_text(with_digest(json.dumps(info | {"weights_sha256": hashlib.sha256(whole).hexdigest()})), encoding="utf-8")
        with pytest.raises(CheckpointError, match="weights"):
            agents.load(checkpoint)

    header_text = data[8 : 8 + length]
    for name in ("trunk.0.weight", "value.bias"):
        for place in places_in(header[name]):
            for what, text in mutations(header, (name, *place)):
                if what.endswith(("shape.0: true", "misspelt")):
                    continue  # `true` is read as 1, further keys are not looked at
                read(text.encode())
    for what, text in [*mutations(header, ("trunk.0.weight",)), *(("", value) for value in STRANGE.values())]:
        if not what.endswith("misspelt") or "x" in what:
            read(text.encode())
    for wrong in (0, 1, length - 1, 2**40, 2**63, 2**64 - 1):
        read(header_text, wrong)


def test_weights_that_are_no_numbers_are_refused(checkpoint: Path) -> None:
    from kalooki_env.agents.checkpoint import CheckpointAgent, write_checkpoint
    from kalooki_env.agents.models import RunInfo

    agent = CheckpointAgent.load(checkpoint)
    agent.network.value.bias.data[0] = np.nan
    run = RunInfo.model_validate({name: agent.info[name] for name in RunInfo.model_fields})
    write_checkpoint(checkpoint, agent.network, run)
    with pytest.raises(CheckpointError, match=r"value\.bias that are not finite"):
        CheckpointAgent.load(checkpoint)


def test_the_description_of_a_policy_of_sb3(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    told = json.loads((ROOT / "checkpoints" / "quickstart" / "checkpoint.json").read_text(encoding="utf-8"))
    for key in ("format", "network", "weights_sha256", "info_sha256"):
        del told[key]
    path = tmp_path / "policy.zip"
    places = [place for place in places_in(told) if len(place) == 1 or place[0] not in ("config", "evaluation")]
    for place in places:
        for name, text in mutations(told, place):
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("kalooki_env.json", text)
            with pytest.raises(AgentError, match=r"policy\.zip") as caught:  # there is no policy in it either
                agents.load(f"sb3:{path}")
            if name.endswith("misspelt"):
                assert "kalooki_env.json" in str(caught.value), name


# ---- configurations and rules ----------------------------------------------------------------------------------------

#: What YAML has beyond JSON.
YAML = {
    "a date": "2020-01-01",
    "no date": "2020-02-31",
    "infinite": ".inf",
    "no number": ".nan",
    "a long number": "0x" + "f" * 5000,
    "a tag": "!!python/object/apply:os.system ['true']",
    "a tag of its own": "!!int x",
    "an alias of nothing": "*a",
    "an alias in itself": "&a [*a]",
    "bytes": "!!binary aGVsbG8=",
    "a set": "{a, b}",
    "a list as a key": "{? [1] : 2}",
    "open": "[1, 2",
    "sixties": "1:" * 300 + "1",
}


def yaml_mutations(data: Any, *places: str) -> Iterator[tuple[str, str]]:
    """All mutations, and in some places what YAML has beyond JSON."""
    for name, text in all_mutations(data):
        yield name, text
        place, _, word = name.partition(": ")
        if word == "null" and (place in places or not places):
            for word, value in YAML.items():
                yield f"{place}: {word}", text.replace("null", value, 1)


@pytest.mark.parametrize("name", ["smoke", "sb3_quickstart"])
def test_every_value_of_a_configuration(name: str, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    pytest.importorskip("pydantic")
    from training.config import load_config
    from training.sb3_config import load_sb3_config

    data = yaml.safe_load((ROOT / "configs" / f"{name}.yaml").read_text(encoding="utf-8"))
    data = {str(key): value for key, value in data.items()} | {"deal": {str(key): one for key, one in data["deal"].items()}}
    path = tmp_path / "config.yaml"
    read = load_sb3_config if name.startswith("sb3") else load_config
    key = {"smoke": "ppo.lanes", "sb3_quickstart": "ppo.num_envs"}[name]
    places = ("the whole", "rules", "deal.1", "observation", key)
    refused = only_own_errors(yaml_mutations(data, *places), path, lambda: read(path), ConfigError)
    assert all("config.yaml" in message for message in refused.values())
    for word in (
        "negative",
        "too large for 64 bits",
        "thousands of digits",
        "true",
        "a list",
        "a date",
        "a long number",
        "infinite",
    ):
        assert key in refused[f"{key}: {word}"], word
    assert not [word for word in YAML if f"{key}: {word}" not in refused]
    assert "did you mean 'budget'" in refused["budget: misspelt"]


def test_sizes_that_no_machine_has_are_refused() -> None:
    pytest.importorskip("yaml")
    pytest.importorskip("pydantic")
    from training.config import load_config
    from training.sb3_config import load_sb3_config

    smoke, sb3 = ROOT / "configs" / "smoke.yaml", ROOT / "configs" / "sb3_quickstart.yaml"
    for override, message in (
        ("ppo.lanes=1000000000", "ppo.lanes and ppo.batch: .* GiB"),
        ("ppo.batch=1000000000", "ppo.lanes and ppo.batch: .* GiB"),
        ("network.hidden=[65536, 65536, 65536]", "network.hidden: .* GiB"),
        (f"network.hidden={[8] * 65}", "network.hidden"),
        (f"name={'x' * 300}", "name: String should have at most"),
        ("deal={1: 1.0e+300}", r"deal\.1"),
    ):
        with pytest.raises(ConfigError, match=message):
            load_config(smoke, [override])
    with pytest.raises(ConfigError, match=r"ppo\.num_envs and ppo.n_steps: .* GiB"):
        load_sb3_config(sb3, ["ppo.num_envs=1000000000", "ppo.batch_size=64"])
    for override in (".".join("a" * 10_000) + "=1", "ppo.lanes=" + "9" * 5000, "ppo.lanes=" + "[" * 10_000, "1" * 5000 + "=1"):
        with pytest.raises(ConfigError, match=r"--set|unknown key"):
            load_config(smoke, [override])


def test_every_value_of_rules_in_yaml(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    path = tmp_path / "rules.yaml"
    keys = ("game", "packs", "deals", "calls_enabled", "call_decider", "call_max_per_deal", "pip_joker", "stake")
    data = {"preset": "jamaican", **{key: json.loads(json.dumps(Rules().as_dict()[key])) for key in keys}}
    places = ("preset", "game", "deals", "pip_joker")
    refused = only_own_errors(yaml_mutations(data, *places), path, lambda: Rules.from_yaml(path), RulesError)
    assert all("rules.yaml" in message for message in refused.values())
    assert "pip_joker" in refused["pip_joker: too large for a count"]


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    path = tmp_path / "rules.yaml"
    path.write_text("pip_joker: 50\npip_joker: 25\n", encoding="utf-8")
    with pytest.raises(RulesError, match=r"rules\.yaml has the key pip_joker twice, again in line 2"):
        Rules.from_yaml(path)


# ---- records ---------------------------------------------------------------------------------------------------------


def forged(lines: list[dict[str, Any]], number: int, text: str) -> bytes:
    """A record in which one line is another text, with right hashes wherever that has a place for one."""
    before, found = START, []
    for place, values in enumerate(lines):
        body = text if place == number else json.dumps(values, separators=(",", ":"))
        before = hashlib.sha256(f"{before}\n{body}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        found.append(f'{body[:-1]},"hash":"{before}"}}\n')
    return "".join(found).encode()


def test_every_value_of_a_record(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    with RecordWriter(path, "jamaican", 3, seats=["a", "b", "c"], seed=5) as writer:
        for deal in (1, 2):
            game = play_out(writer, Game("jamaican", 3, deal=deal, seed=11), totals=[0, 0, 0], notes=True, match=deal, limit=400)
            assert game.outcome is not None
            writer.match(game.outcome.scores, [game.outcome.scores.index(min(game.outcome.scores))], None)
            if deal == 1:
                kept = game.outcome.scores
        totals = [a + b for a, b in zip(kept, game.outcome.scores, strict=True)]
        play_out(writer, Game("jamaican", 2, deal=9, seed=3), totals=totals, match=0, sits=[0, 2], lane=1, seed=4)
    lines = lines_of(path)
    read_record(path)
    seen: set[tuple[str, ...]] = set()
    for number, values in enumerate(lines):
        for place in places_in(values, 2):
            key = (values["kind"], *map(str, place[:1]), *(map(str, place[1:]) if len(seen) % 7 == 0 else ()))
            if key in seen:
                continue
            seen.add(key)
            for name, text in mutations(values, place):
                path.write_bytes(forged(lines, number, text.replace(": ", ":").replace(", ", ",")))
                began = time.process_time()
                try:
                    replay.summary_text(read_record(path))
                except RecordError as error:
                    assert "record.jsonl, line" in str(error), name  # noqa: PT017  (some are read)
                except Exception as error:
                    raise AssertionError(f"{values['kind']}.{name}: {type(error).__name__}: {str(error)[:300]}") from error
                assert time.process_time() - began < 2 * SECONDS, name


def test_a_seat_that_sits_twice_is_refused(tmp_path: Path) -> None:
    """The line of seats is longer than the table, though no seat is missing."""
    path = small_record(tmp_path / "record.jsonl")
    lines = lines_of(path)
    path.write_bytes(forged(lines, 1, json.dumps(lines[1] | {"sits": ["P1", "P2", "P3", "P3"]}, separators=(",", ":"))))
    with pytest.raises(RecordError, match=r"line 2 has sits .*a seat twice"):
        read_record(path)


# ---- results ---------------------------------------------------------------------------------------------------------


def test_every_value_of_results_of_strength(tmp_path: Path) -> None:
    spec = SPECS["v1"]
    part = {name: [0] * 9 for name in ("points", "baseline_points", "went_out", "opened")}
    told = {"preset": "jamaican", "opponent": "greedy", "package": "0", "by_single_deal": part}
    about = {"spec_digest": spec.digest, "agent": "a", "name": "a", "digest": None, "deals_per_number": 1, "parts": [told]}
    path = tmp_path / "a.json.gz"

    def read() -> object:
        path.write_bytes(gzip.compress(path.read_bytes()))
        return [part.as_dict() for part in scoreboard.load(path, spec).parts.values()]

    refused = only_own_errors(all_mutations(about), path, read, ConfigError)
    assert all("a.json.gz" in message for message in refused.values())
    assert "parts.0.by_single_deal.points" in refused["parts.0.by_single_deal.points.0: too large for a count"]
    for data in (b"", b"\x1f\x8b", b"PK", gzip.compress(b"[]")[:-5], gzip.compress(bytes(1 << 27))):
        path.write_bytes(data)
        with pytest.raises(ConfigError, match=r"a\.json\.gz is not a file of results"):
            scoreboard.load(path, spec)


def test_every_value_of_results_of_speed(tmp_path: Path) -> None:
    path = tmp_path / "speed.json"
    whole = json.loads((ROOT / "tests" / "bench" / "results" / "bench.json").read_text(encoding="utf-8"))
    few = whole | {"parts": {name: rows[:2] for name, rows in whole["parts"].items()}, "rounds": whole["rounds"][:1]}
    for rows in few["parts"].values():
        for row in rows:
            if "rounds" in row:
                row["rounds"] = row["rounds"][:1]

    def read() -> None:
        found = bench_table.load(str(path))
        bench_table.report_text(found)
        bench_table.markdown(found)
        bench_plot.lines_of(found)
        bench_plot.caption(found)

    refused = only_own_errors(all_mutations(few), path, read, ConfigError)
    assert "parts.batch.0.decisions_per_second" in refused["parts.batch.0.decisions_per_second: zero"]
    assert all("speed.json" in message for message in refused.values())


def test_the_note_of_a_warm_up_is_a_number_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup.core, "cache_dir", lambda: tmp_path)
    path = tmp_path / warmup.NOTE
    assert not only_own_errors(all_mutations({"cpu_seconds": 1.5}), path, warmup.compile_cpu_seconds, ConfigError)
    path.write_text('{"cpu_seconds": 1.5}', encoding="utf-8")
    assert warmup.compile_cpu_seconds() == 1.5
    for text in ("", "[1]", '{"cpu_seconds": NaN}', '{"cpu_seconds": [1]}', '{"cpu_seconds": -1}', "\0"):
        path.write_text(text, encoding="utf-8")
        assert warmup.compile_cpu_seconds() is None
