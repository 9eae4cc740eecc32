# Two commands do everything on a fresh machine with Python >= 3.11 and make:
#   make conform   judges real libraries and prints the table of outcomes
#   make test-all  every test of a change, and lint, types and import contracts
# `make test` is the quick part of it; `make deep` is what each night runs besides.
# `make conform-all` judges every known library, and a sample in JavaScript, and writes a report;
# `make proofs` runs the region proofs, `make coq` checks the Coq development.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

SIX := dp-accounting opendp autodp pipelinedp diffprivlib python-dp
# The slowest first, so that the two that run at a time end together.
REST := jax-privacy riskcal gdpnum random-allocation pld-accounting opake-accounting pfl opacus dpmm smartnoise-sql prv-accountant tensorflow-privacy flwr \
  scipy statsmodels privacy-estimates memaudit
SAMPLE := javascript-sample
# Seconds for one library: those of 24, two at a time, are 22 minutes.
BUDGET := 110

# Hundreds of processes start in a test run: what they import is compiled once.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: add-check packages conform conform-all nightly test quick test-all deep costs dear counts lint proofs vectors verdicts register calculator site coq clean

# Status 1 says that a library violates: a finding, not a failure of the command. RUN=run.json
# keeps what was found. One job more than there are processors, as each waits for the judge in turns.
JOBS := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
conform: $(VENV)/judging
	@$(BIN)/dporacle conform $(SIX) --workers $(JOBS) --earlier $(RESULTS) $(if $(RUN),--output $(RUN)) || [ $$? -eq 1 ]

# What could not be run (status 3) is told in the report too, and fails after it is written.
conform-all: $(VENV)/judging
	@status=0; $(BIN)/dporacle conform $(SIX) $(REST) $(SAMPLE) --budget $(BUDGET) --earlier $(RESULTS) \
	  --output conformance.json || status=$$?; \
	[ $$status -ne 2 ] && $(BIN)/dporacle report conformance.json -o conformance.html && \
	[ $$status -le 1 ]

# Work is stolen, not dealt out: a file's tests share what they prove as long as they can.
# What is skipped, as a program is not installed, is told with the reason.
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal -q -rfEs
test: $(VENV)/installed
	@$(MAKE) --no-print-directory -j2 lint quick

quick: $(VENV)/installed
	$(PYTEST) --quick

test-all: lint
	$(PYTEST)

# Which tests `make test` leaves out, and which `make test-all`: tools/dear_tests.py has the rule. The
# quick part is measured too: what a test asks may have been proved by a dearer one, which is left out there.
costs: $(VENV)/installed
	@mkdir -p build && rm -f build/each_cost.tsv
	COSTS=build/each_cost.tsv $(PYTEST)
	COSTS=build/each_cost.tsv $(PYTEST) --deep
	$(MAKE) --no-print-directory dear
	COSTS=build/each_cost.tsv $(PYTEST) --quick
	$(MAKE) --no-print-directory dear
dear:
	$(BIN)/python tools/dear_tests.py build/each_cost.tsv

# What is too dear for every change: the dear cases of which a change runs one, all vectors by the
# reference, this library judged with as many fresh inputs as any other, the library of README's
# example, and whether the tests notice changes of the source: those that they noticed before, and
# new ones, of which a survivor may be no fault of the tests. Whatever fails, the rest is run too.
NIGHT := deep-cases deep-vectors deep-self deep-shown deep-mutants deep-new-mutants
.PHONY: $(NIGHT)
deep: $(VENV)/installed
	@$(MAKE) --no-print-directory --keep-going $(NIGHT)
deep-cases:
	$(PYTEST) --deep
deep-vectors:
	$(BIN)/dporacle vectors --verify
deep-self:
	$(BIN)/dporacle conform self
deep-shown:
	DPORACLE_HYPOTHESIS=deep $(BIN)/python -m pytest -q -n 0 tests/test_shown_run.py
deep-mutants:
	$(BIN)/python tools/mutate.py --still --record tests/data/mutants.jsonl
deep-new-mutants:
	$(BIN)/python tools/mutate.py --count 50 --seed $$(date +%j) || [ $$? -eq 1 ]

# How many kinds of thing there are, what a command loads, and what the last run of tests cost.
counts: $(VENV)/installed
	@$(BIN)/python tools/counts.py
	@$(BIN)/python tools/start_times.py
	@echo 'asked of the tests: 150 s of processor time for a change, 1,100 s for all'
	@cat build/costs.txt 2>/dev/null || echo 'no run of tests has left its costs'

lint: $(VENV)/installed
	$(BIN)/python tools/make_stubs.py
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Every region theorem, over its whole domain.
proofs: $(VENV)/installed
	$(BIN)/dporacle prove --all

vectors: $(VENV)/installed
	$(BIN)/dporacle vectors --write

# The vectors for npm, Cargo, Go, Maven and Composer.
packages: $(VENV)/installed
	rm -rf build/packages
	$(BIN)/python packages/build.py build/packages

# Brings up to date all that is made from the rows, the signatures and the cases, and says what a
# new statement, quantity or mechanism still lacks.
add-check: $(VENV)/installed
	$(BIN)/python tools/make_stubs.py
	$(BIN)/dporacle vectors --add
	$(BIN)/python -m dporacle.conformance.protocol_page docs/protocol.md
	$(BIN)/dporacle adapter-check --schema > docs/protocol.schema.json
	$(BIN)/ruff format -q .
	$(BIN)/python -m pytest -q -p no:xdist $(ADDED)
	$(BIN)/ruff check -q .
	@git status --short 2>/dev/null || true

ADDED := tests/test_vocabulary.py tests/test_catalogue.py tests/test_imports.py tests/test_typing.py \
  tests/laws/test_rows.py tests/test_vector_editions.py tests/conformance/test_adapter_check.py \
  tests/test_every_formula.py::test_every_function_has_a_formula \
  tests/dev/test_specimens.py::test_no_flag_is_idle_and_the_command_says_so

# Judging needs a quarter of what working on the project needs.
INSTALL = test -x $(BIN)/python || $(PYTHON) -m venv $(VENV); \
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[$(1)]' && \
	$(BIN)/python tools/plain_path.py
FILES := pyproject.toml setup.py constraints.txt fast/gaussian/_compiled.c
$(VENV)/installed: $(FILES)
	$(call INSTALL,dev)
	touch $(VENV)/judging $@

$(VENV)/judging: $(FILES)
	$(call INSTALL,conform)
	touch $@

# The table of verdicts, of the records in docs/verdicts; RUN=run.json adds that of a run.
verdicts: $(VENV)/installed
	@[ -z "$(RUN)" ] || $(BIN)/dporacle history docs/verdicts --add $(RUN)
	$(BIN)/dporacle history docs/verdicts -o docs/verdicts.md --grades proofs_notes/grades.md --bugs docs/bugs-found.md

# Every known library at its newest release and its main branch: judged, recorded in RESULTS, and shown
# in SITE. RUN=run.json is recorded instead, if it is there already.
RESULTS ?= docs/verdicts
SITE ?= build/verdicts
nightly: $(VENV)/judging
	@mkdir -p build
	@[ -n "$(RUN)" ] || $(BIN)/dporacle conform all==newest all@main --workers $(JOBS) --budget $(BUDGET) --earlier $(RESULTS) \
	  --output build/nightly.json || [ $$? -ne 2 ]
	$(BIN)/dporacle history $(RESULTS) --add $(or $(RUN),build/nightly.json) --site $(SITE) \
	  $(if $(ADDRESS),--address $(ADDRESS))

register: $(VENV)/installed
	$(BIN)/dporacle audit --register --markdown > docs/register.md

# Static files that compute in the browser; npm fetches Python for WebAssembly.
calculator: $(VENV)/installed
	$(BIN)/python tools/make_calculator.py

# The documentation, with the calculator beside it.
site: calculator
	$(BIN)/python tools/make_site.py --calculator build/calculator --records $(RESULTS)

clean:
	rm -rf $(VENV) build *.egg-info

# Coq's kernel checks the development, and says which axioms it rests on.
COQ := proofs_notes/coq
coq:
	@command -v coqc >/dev/null || { echo "coqc is not installed:" \
	  "apt-get install --no-install-recommends coq libcoq-interval"; exit 1; }
	cd $(COQ) && coq_makefile -f _CoqProject -o CoqMakefile && $(MAKE) -f CoqMakefile
	cd $(COQ) && coqc -q -w none -R . Dporacle Assumptions.v
