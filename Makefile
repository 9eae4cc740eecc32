# Two commands do everything on a fresh machine with Python >= 3.11 and make:
#   make conform   judges real libraries and prints the table of verdicts
#   make test      lint, types, import contracts and every test
# `make conform-all` judges every known library and writes a report; `make proofs` runs the region
# proofs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SOURCES := $(shell find oracle reference fast -name '*.py' -o -name '*.json' -not -path '*/__pycache__/*')

SIX := dp-accounting opendp diffprivlib autodp python-dp pipelinedp
REST := pfl dpmm prv-accountant riskcal flwr smartnoise-sql jax-privacy opacus tensorflow-privacy

.PHONY: conform conform-all test lint proofs vectors clean

# Status 1 says that a library violates: a finding, not a failure of the command.
conform: $(VENV)/installed
	@$(BIN)/dporacle conform $(SIX) || [ $$? -eq 1 ]

conform-all: $(VENV)/installed
	@$(BIN)/dporacle conform $(SIX) $(REST) --output conformance.json || [ $$? -eq 1 ]
	$(BIN)/dporacle report conformance.json -o conformance.html

test: lint
	$(BIN)/python -m pytest -n auto -q

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Every region theorem, over its whole domain.
proofs: $(VENV)/installed
	$(BIN)/dporacle prove --all

vectors: $(VENV)/installed
	$(BIN)/dporacle vectors --write

# Strict editable installs link file by file, so a new file needs a new install.
$(VENV)/installed: pyproject.toml constraints.txt $(SOURCES)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[dev]' --config-settings editable_mode=strict
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info
