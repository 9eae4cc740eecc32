# Two commands do everything on a fresh machine with Python >= 3.11 and make:
#   make conform   judges real libraries and prints the table of verdicts
#   make test      lint, types, import contracts and every test
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SOURCES := $(shell find oracle reference fast -name '*.py' -o -name '*.json' -not -path '*/__pycache__/*')

.PHONY: conform test lint vectors clean

conform: $(VENV)/installed
	@$(BIN)/dporacle conform dp-accounting opendp diffprivlib autodp python-dp pipelinedp || [ $$? -eq 1 ]

test: lint
	$(BIN)/python -m pytest -n auto -q

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

vectors: $(VENV)/installed
	$(BIN)/dporacle vectors --write

# Strict editable installs link file by file, so a new file needs a new install.
$(VENV)/installed: pyproject.toml constraints.txt $(SOURCES)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[dev]' --config-settings editable_mode=strict
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info
