# Every target sets up what it needs; `make setup` is free when nothing changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.set-up

.PHONY: setup servers demo test check format bench docs oracle clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip --constraint constraints.txt
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable . --group dev
	@touch $(STAMP)

# The language servers that `tests/servers` drives, in `.servers`; minutes at first, a moment later.
servers: setup
	@$(BIN)/python scripts/install_servers.py

demo: setup
	@$(BIN)/python examples/demo.py

test: setup servers
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report

# The long proofs, of which `make test` runs a sample.
oracle: setup
	@$(BIN)/python scripts/install_servers.py --rust-analyzer
	@SIGHTLINE_ORACLE=full $(BIN)/python -m pytest tests/oracle tests/transactions tests/servers \
		tests/code/test_cold_start.py --timeout=3600 -s

check: setup
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/pyright --warnings
	@$(BIN)/lint-imports
	@$(BIN)/python scripts/check_sizes.py
	@$(BIN)/python scripts/make_docs.py --check

format: setup
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .

docs: setup
	@$(BIN)/python scripts/make_docs.py

bench: setup
	@$(BIN)/python -m bench

clean:
	rm -rf $(VENV) .servers .coverage .coverage.* .pytest_cache .ruff_cache .hypothesis .import_linter_cache
