# Everything one does here, by name. `make` alone lists it.
#
#   PYTHON=python3.12 make test     another interpreter (the environment is made anew when its version changes)
#   make test ARGS="-k outline"     arguments for pytest
#   make bench DATA=FOLDER          texts, questions and histories to measure with (bench/_data.py)

PYTHON ?= python3
VENV   ?= .venv
ARGS   ?=
SECONDS ?= 3600

BIN  := $(abspath $(VENV))/bin
# One stamp for the environment, one for what `try` needs, one for what developers need.
MADE := $(VENV)/.made-$(subst /,-,$(PYTHON))
TRY  := $(VENV)/.try
DEV  := $(VENV)/.dev
FUZZ := $(VENV)/.fuzz
# Benchmarks have an environment of their own: the peers bring much, at exact versions.
BENCH := .venv-bench
PEERS := $(BENCH)/.made

.DEFAULT_GOAL := help
.PHONY: help venv try test check format bench mutants fuzz

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(DEV) ## set up .venv for development (again only when pyproject.toml changed)

try: $(TRY) ## see it work: index a copy of examples/vault, look into it, search it (no dev tools needed)
	@set -e; export PATH="$(BIN):$$PATH"; unset HEADWISE_STORE; \
	folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	cp -R examples/vault "$$folder/vault"; cd "$$folder/vault"; \
	show() { printf '\n$$ %s\n' "$$1"; eval "$$1"; }; \
	show 'headwise index .'; \
	show 'headwise outline Robots/SMARS.md'; \
	show 'headwise search "how many pins does the motor driver need" --limit 3'; \
	show 'headwise search "味噌はいつ溶きますか" --limit 1'; \
	show 'headwise stats'; \
	printf '\nNow your own: %s index FOLDER\n' "$(VENV)/bin/headwise"

test: $(DEV) ## run the tests
	$(BIN)/pytest -n auto $(ARGS)

check: $(DEV) ## format, lint, types, tests: what a change must pass
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/pytest -n auto $(ARGS)

format: $(DEV) ## let ruff write what it can
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: $(PEERS) ## run every benchmark beside its peers (over an hour; QUICK=1 small, in minutes; ARGS="cut grow" only these)
	$(if $(DATA),HEADWISE_BENCH_DATA=$(abspath $(DATA))) $(BENCH)/bin/python bench/run.py $(if $(QUICK),--quick) $(ARGS)

mutants: $(DEV) ## see which small changes to reading/ and chunking/ no quick test notices (an hour; ARGS="-j 2 reading/lines")
	$(BIN)/python tests/mutants.py $(ARGS)

fuzz: $(FUZZ) ## look for documents that break a promise, each way for a third of SECONDS (an hour if not given)
	@for target in cutting files growth; do \
		$(BIN)/python fuzz/run.py $$target --seconds $$(( $(SECONDS) / 3 )) $(ARGS) || exit 1; \
	done

# An environment of another Python version cannot be reused; one of the same version is kept.
$(MADE):
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: PYTHON=... make")'
	@if [ -f $(VENV)/pyvenv.cfg ] && [ "$$($(BIN)/python -V 2>&1)" != "$$($(PYTHON) -V 2>&1)" ]; then rm -rf $(VENV); fi
	$(PYTHON) -m venv $(VENV)
	@rm -f $(VENV)/.made-*
	@touch $@

$(TRY): $(MADE) pyproject.toml
	$(BIN)/python -m pip install --quiet -e ".[vectors]"
	@touch $@

# Every extra, so that no test is skipped and every import has types; --group needs pip 25.1.
$(DEV): $(MADE) pyproject.toml
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet -e ".[vectors,minilm,multilingual,tokenizers,http,postgres,watch,service,chroma,parquet,mcp,peers]" --group dev
	@touch $(TRY) $@

$(PEERS): pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BENCH)/bin/python -m pip install --quiet -e ".[vectors,minilm,multilingual,tokenizers,http,postgres,service]" --group bench
	@touch $@

$(FUZZ): $(DEV)
	$(BIN)/python -m pip install --quiet --group fuzz
	@touch $@
