# Two commands do everything on a fresh machine: `make run` and `make test`. Both are quick to repeat.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KERNEL := $(wildcard src/whorl/kernel/native*.py src/whorl/kernel/*.pxd src/whorl/kernel/*.h)

EXECUTIONS ?= 100000

.PHONY: run venv test test-slow check format bench fuzz real corpus reproduce docs docs-pages clean

run: $(VENV)/.installed  ## install Whorl and compare the class that ships with it
	$(BIN)/whorl compare examples/class --base examples/template --submissions-csv examples/class.csv --report report

venv: $(VENV)/.installed  ## make .venv with everything that running and testing need

test: check  ## formatting, lint, types, layers and the whole test suite
	sh tools/install_browser.sh
	$(BIN)/python -m tests.backends.needs
	$(BIN)/python -m pytest -n 2 --dist loadgroup

test-slow: $(VENV)/.installed  ## kills, damage, crowds and poisoning of an index at length (minutes)
	$(BIN)/python -m pytest -n 2 -m slow

check: $(VENV)/.installed  ## formatting, lint, types and layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.installed  ## rewrite the code in the house's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.installed  ## measure against the paper's loop and the peers (minutes; see benchmarks/README.md)
	$(BIN)/python -m benchmarks.winnowing
	$(BIN)/python -m benchmarks.text
	$(BIN)/python -m benchmarks.memory
	$(BIN)/python -m benchmarks.sandbox
	$(BIN)/python -m benchmarks.tokens

fuzz: $(VENV)/.installed  ## damaged documents for every front-end (hours); EXECUTIONS=1000 for a short run
	$(BIN)/python -m fuzz --executions $(EXECUTIONS)

real: $(VENV)/.installed  ## real files of all formats out of Debian packages (minutes; needs apt-get and a network)
	$(BIN)/python tools/real_files.py

corpus: $(VENV)/.installed  ## real pages out of Debian's manuals, as HTML and JSONL (20 minutes, 1.2 GB fetched, 7 GB of disk)
	$(BIN)/python -m experiments.corpus corpus

reproduce: $(VENV)/.installed  ## the papers' tables and figures, theirs beside ours (minutes; pages in reproduction/)
	for paper in winnowing clustering koala; do $(BIN)/whorl reproduce $$paper --out reproduction || exit 1; done
	mkdir -p docs/reproduction && cp reproduction/*.md docs/reproduction/

docs: $(VENV)/.installed  ## build the documentation into site/, to be read from disk
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

docs-pages: $(VENV)/.installed  ## make again what the documentation takes from the program
	$(BIN)/python tools/make_cli_docs.py
	$(BIN)/python tools/make_python_docs.py
	$(BIN)/python tools/make_http_docs.py
	$(BIN)/python tools/make_docs_pictures.py
	$(BIN)/python tools/make_docs_transcripts.py
	$(BIN)/python tools/make_screenshots.py

clean:
	rm -rf $(VENV) build report reproduction site src/*.egg-info src/whorl/kernel/*.so src/whorl/kernel/*.c

# Reinstalled only when what is installed changed: the dependencies or the sources of the compiled kernel.
$(VENV)/.installed: pyproject.toml setup.py $(KERNEL)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable '.[all,spark]' --group dev
	touch $@
