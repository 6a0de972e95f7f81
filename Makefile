# Every target sets up what it needs; `make setup` is free when nothing changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.set-up
# More tests at once than a small machine has cores: most of them wait for a language server or another process.
JOBS ?= 3

.PHONY: setup servers clients browser demo test test-clients check format bench docs oracle clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@echo "setting up $(VENV): a minute or two" >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip --constraint constraints.txt
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable . --group dev
	@touch $(STAMP)

# The language servers that `tests/servers` drives, in `.servers`; minutes at first, a moment later.
servers: setup
	@$(BIN)/python scripts/install_servers.py

# The agent CLIs and MCP test tools that `tests/clients` drives, in `.clients`; minutes at first, a moment later.
clients: setup
	@$(BIN)/python scripts/install_clients.py

# The browser that `tests/server/dashboard` drives: Debian's Chromium, installed where that is allowed.
browser:
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
		apt-get install --yes --quiet --no-install-recommends chromium >/dev/null; } || \
		echo "no Chromium: the tests of the dashboard in a browser are skipped" >&2

demo: setup
	@$(BIN)/python examples/demo.py

test: setup servers
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest --ignore=tests/clients --numprocesses=$(JOBS) --dist=loadfile
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report

# Whole sessions of independent clients. Where npm is there, a client that is missing is a failure and no skip.
test-clients: setup clients
	@SIGHTLINE_CLIENTS=$$(command -v npm >/dev/null && echo required) $(BIN)/python -m pytest tests/clients --timeout=300

# The long proofs, of which `make test` runs a sample.
oracle: setup
	@$(BIN)/python scripts/install_servers.py --rust-analyzer
	@SIGHTLINE_ORACLE=full $(BIN)/python -m pytest tests/oracle tests/transactions tests/servers \
		tests/code/test_cold_start.py tests/sync/end_to_end tests/sync/formats --timeout=3600 -s

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
	rm -rf $(VENV) .servers .clients .coverage .coverage.* .pytest_cache .ruff_cache .hypothesis .import_linter_cache
