# Two commands do everything on a fresh machine with Python >= 3.11 and make:
#   make conform   judges real libraries and prints the table of verdicts
#   make test      lint, types, import contracts and every test
# `make conform-all` judges every known library, and a sample in JavaScript, and writes a report;
# `make proofs` runs the region proofs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SOURCES := $(shell find oracle reference fast -name '*.py' -o -name '*.json' -o -name '*.toml' -not -path '*/__pycache__/*')

SIX := dp-accounting opendp diffprivlib autodp python-dp pipelinedp
# The slowest first, so that the two that run at a time end together.
REST := jax-privacy riskcal pfl opacus dpmm smartnoise-sql prv-accountant tensorflow-privacy flwr
SAMPLE := javascript-sample
# Seconds for one library: sixteen of them, two at a time, are done in a quarter of an hour.
BUDGET := 110

.PHONY: conform conform-all test lint proofs vectors register clean

# Status 1 says that a library violates, 4 that too little was answered: findings, not failures of
# the command.
conform: $(VENV)/installed
	@$(BIN)/dporacle conform $(SIX) || case $$? in 1 | 4) ;; *) exit 3 ;; esac

# What could not be run (status 3) is told in the report too, and fails after it is written.
conform-all: $(VENV)/installed
	@status=0; $(BIN)/dporacle conform $(SIX) $(REST) $(SAMPLE) --budget $(BUDGET) \
	  --output conformance.json || status=$$?; \
	[ $$status -ne 2 ] && $(BIN)/dporacle report conformance.json -o conformance.html && \
	{ [ $$status -le 1 ] || [ $$status -eq 4 ]; }

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

register: $(VENV)/installed
	$(BIN)/dporacle audit --register --markdown > docs/register.md

clean:
	rm -rf $(VENV) build *.egg-info
