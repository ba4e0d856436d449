# Shortcuts. The same commands without make stand in README.md.

PYTHON ?= python3
VENV ?= .venv
# Processes that run the tests.
WORKERS ?= 2

# Tests that run kernels in this process.
KERNEL_TESTS := tests/rules tests/test_core.py tests/test_no_peek.py tests/test_positions.py tests/test_aec.py \
	tests/test_solver.py tests/test_agents.py tests/test_expert.py tests/test_search.py \
	tests/test_arena.py tests/test_verify.py tests/test_perft.py tests/test_batch.py tests/test_vector_env.py \
	tests/test_selfplay_env.py tests/test_match.py tests/test_match_env.py tests/test_match_cli.py \
	tests/test_other_deals.py tests/test_verify_kaluki.py \
	tests/test_saved_states.py tests/test_game_states.py tests/test_aec_states.py $(wildcard tests/test_kaluki_*.py)

BIN := $(VENV)/bin
RUN := runs/quickstart

.PHONY: help quickstart test bench clean

help:
	@echo "make quickstart   train a small policy and evaluate it"
	@echo "make test         all checks: ruff, mypy, pytest"
	@echo "make bench        measure the speed of the engine and the environments"
	@echo "make clean        remove $(VENV) and everything built"
	@echo "PYTHON=python3.12 chooses the Python that $(VENV) is made with"

# One virtual environment, two stamps: what is installed there is renewed only when these two files change.
$(VENV)/.train: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[train]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[train,dev]'
	@touch $(VENV)/.train $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "error: Python 3.11 or newer is needed; PYTHON=$(PYTHON) is $$($(PYTHON) --version 2>&1)" >&2; \
	    echo "choose another one: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

quickstart: $(VENV)/.train
	$(BIN)/kalooki warmup
	$(BIN)/python -m training.ppo configs/quickstart.yaml
	$(BIN)/kalooki evaluate $(RUN)/checkpoint --against random greedy --deals 1 5
	@echo "The trained checkpoint lies in $(RUN)/checkpoint"

# Warmed up before the tests start, so that their processes find the kernels compiled. The second run has Numba check every
# index, which compiled code otherwise does not: what it reads and writes beyond an array would go unnoticed.
test: $(VENV)/.dev
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/kalooki warmup
	$(BIN)/python -m pytest -n $(WORKERS)
	NUMBA_BOUNDSCHECK=1 $(BIN)/kalooki warmup
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n $(WORKERS) $(KERNEL_TESTS)

bench: $(VENV)/.train
	$(BIN)/kalooki bench

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find kalooki_env training tests -name __pycache__ -type d -prune -exec rm -rf {} +
