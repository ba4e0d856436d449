"""Documents that could go stale: examples run, tables are those of the code, links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kalooki_env
from kalooki_env.core import ActionKind, num_actions, sections
from kalooki_env.errors import KalookiError
from kalooki_env.observe import docs
from kalooki_env.rules import RULE_KEYS, Rules

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PACKAGE = ROOT / "kalooki_env"


def examples() -> list[str]:
    return re.findall(r"<!-- example: \w+ -->\n```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("example", examples())
def test_readme_examples_run(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(example, "README.md", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out


def test_there_are_examples() -> None:
    assert examples()


def test_the_observation_page_is_the_schema() -> None:
    assert docs.PATH.read_text(encoding="utf-8") == docs.text(), "run python -m kalooki_env.observe.docs"


def test_the_action_table_is_the_layout() -> None:
    text = (PACKAGE / "ACTIONS.md").read_text(encoding="utf-8")
    text, _, kaluki = text.partition("## 8. Kaluki")
    rows = re.findall(r"^\| (171 \+ 2·S|\d+) \| (\d+|2·S) \| `", text, re.MULTILINE)
    slots = 4 * 8
    found = [
        (171 + 2 * slots if first == "171 + 2·S" else int(first), 2 * slots if count == "2·S" else int(count))
        for first, count in rows
    ]
    assert found == [(section.first, section.size) for section in sections(8)]
    own = [(int(first), int(count)) for first, count in re.findall(r"^\| (\d+) \| (\d+) \| `", kaluki, re.MULTILINE)]
    assert own[2:] == [(section.first, section.size) for section in sections(8, True) if section.first >= own[2][0]]
    assert len(found) + len(own) - 2 == len(ActionKind)
    assert f"{num_actions(8, True)} actions, whatever the size of the table" in kaluki
    assert f"that makes {num_actions(4)} actions, for 8 seats {num_actions(8)}" in text


def test_the_rule_text_names_every_key_and_preset() -> None:
    text = (PACKAGE / "RULES.md").read_text(encoding="utf-8")
    assert not [name for name in (*RULE_KEYS, *kalooki_env.presets()) if f"`{name}`" not in text]


def test_environment_arguments_are_documented() -> None:
    import inspect

    from kalooki_env.envs.aec import TableOptions

    documented = inspect.getdoc(TableOptions) or ""
    documented += inspect.getdoc(TableOptions.__mro__[1]) or ""
    assert not [name for name in inspect.signature(kalooki_env.raw_env).parameters if f"{name}:" not in documented]


def test_links_lead_to_files() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README.read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target


def test_all_public_names_exist_and_all_errors_are_one_family() -> None:
    for name in kalooki_env.__all__:
        value = getattr(kalooki_env, name)
        if isinstance(value, type) and issubclass(value, Exception):
            assert issubclass(value, KalookiError)
            assert issubclass(value, ValueError)


def test_rules_read_back() -> None:
    for name in kalooki_env.presets():
        rules = Rules.preset(name)
        assert Rules.parse(str(rules)) == rules
        assert Rules.from_mapping({"preset": name}) == rules


def test_rules_from_yaml(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text("preset: jamaican_club\ncall_max_per_deal: null\n")
    assert Rules.from_yaml(path) == Rules.preset("jamaican_club", call_max_per_deal=None)
    for text, message in (
        ("preset: jamaican\nset_min_natural: 2\n", "did you mean 'set_min_naturals'"),
        ("- 1\n", "expected a mapping"),
        ("preset: [", "rules.yaml"),
        ("pip_joker: 26\n", "26 is not allowed"),
        ("call_refusal_forces_take: true\n", "needs call_decider: next_player"),
        ("call_max_per_deal: -1\n", "a whole number from 0"),
    ):
        path.write_text(text)
        with pytest.raises(kalooki_env.RulesError, match=re.escape(message)):
            Rules.from_yaml(path)
    with pytest.raises(kalooki_env.RulesError, match="no_such_file"):
        Rules.from_yaml(tmp_path / "no_such_file.yaml")
