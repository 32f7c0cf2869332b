# make run    set up what is missing and open the workbench in the browser
# make test   set up what is missing, check style, types and imports, run all tests
# make coverage   run all tests and count the lines they reach, in about twice the time
# make soak   twenty browsers, attacks, kills and a full disk for ten minutes; writes benchmarks/results/soak.json
#
# PYTHON=...           the Python that creates .venv (3.11 or newer)
# TORCH_INDEX=...      another build of torch, e.g. https://download.pytorch.org/whl/cu130 for an NVIDIA GPU
# WORKERS=...          how many tests run side by side (default 3: the browser tests mostly wait; fewer take less memory)
# MINUTES=...          how long make soak goes on (default 10)
# MICROSCOPE_HOME=...  the folder for runs, indexes and converted models

PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 3
MINUTES ?= 10
# Converted models that are kept between test runs. Workers that found none would each convert them at the same time.
PREPARED = MICROSCOPE_HOME="$${MICROSCOPE_HOME:-$(CURDIR)/.cache}" $(BIN)/microscope prepare
export TORCH_INDEX

.PHONY: run setup test prepared coverage soak lint clean

run: setup
	@$(BIN)/microscope prepare
	@$(BIN)/python -m pages.launch

setup:
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found. Install Python 3.11 or newer." >&2; exit 1; }
	@$(PYTHON) scripts/setup.py

test: lint
	@$(PYTHON) scripts/setup.py browser
	@$(PREPARED)
	@$(BIN)/python -m pytest -n $(WORKERS) --no-loadscope-reorder

coverage: setup
	@$(PYTHON) scripts/setup.py browser
	@$(PREPARED)
	@$(BIN)/python -m pytest -n $(WORKERS) --no-loadscope-reorder --cov --cov-report=term

prepared: setup
	@$(PREPARED)

soak: setup
	@$(PYTHON) scripts/setup.py browser
	@$(BIN)/python -m benchmarks.soak --minutes $(MINUTES)

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

clean:
	@rm -rf .venv .cache .coverage htmlcov .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis *.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
