# Two commands do everything on a fresh machine: `make run` and `make test`. Both are quick to repeat.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KERNEL := $(wildcard src/whorl/kernel/native*.py src/whorl/kernel/*.pxd src/whorl/kernel/*.h src/whorl/formats/code/normal/*.py)

# Where Python may not keep what it compiles, each start of whorl compiles it anew: half of the start.
unexport PYTHONDONTWRITEBYTECODE

# Versions are locked, so whether there is a newer pip is a question to the network for nothing.
export PIP_DISABLE_PIP_VERSION_CHECK := 1

EXECUTIONS ?= 100000
SECONDS ?= 14400

# One process more than two cores, because many tests wait: for a server, a disk, a limit. tests/conftest.py says how tests are
# dealt to them. A service gives its jobs way to other work, so tests give way as much; else the jobs would starve.
WORKERS := -n 3
PYTEST = nice -n 19 $(BIN)/python -m pytest $(WORKERS)

# A test that takes 300 seconds waits for something that never comes. It fails with the places where its threads wait, and the
# other workers go on.
NEVER_STUCK := -o faulthandler_timeout=300 -o faulthandler_exit_on_timeout=true --max-worker-restart=0

# What make quick leaves to make test: other processes, parsers that are stopped, browsers, and much to read.
LEFT_OUT := cli/test_limits.py cli/test_read_only.py cli/test_refusals.py cli/test_remote.py clustering/test_run.py \
	comparison/test_export.py comparison/test_hiding.py comparison/test_intake.py comparison/test_layouts.py \
	comparison/test_planted.py comparison/test_statements.py deploy docs engine/selectors/test_density.py \
	engine/sketches/test_estimates.py experiments formats/archives/test_hostile.py formats/code \
	formats/corpora/test_jsonl.py formats/corpora/test_parquet.py formats/corpora/test_warc.py formats/documents formats/test_hostile.py \
	formats/test_real_files.py fuzz index kernel/test_crowds.py kernel/test_portable.py kernel/test_postings.py \
	matching/deep matching/test_chain.py registry/test_attacks.py registry/test_crash.py registry/test_damage.py registry/test_search.py \
	report sandbox service spark sweep test_corpus_resuming.py test_distributions.py test_patterns.py test_threads.py torture

.PHONY: run venv test suite browser test-slow torture quick check style types format bench fuzz real corpus reproduce docs docs-pages wheel sbom lock clean

run: $(VENV)/.kernel  ## install Whorl alone and compare the class that ships with it
	$(BIN)/whorl compare examples/class --base examples/template --submissions-csv examples/class.csv --report report

venv: $(VENV)/.installed $(VENV)/.collected  ## make .venv with everything that running and testing need

# Types are checked while the browser is installed and the tests run: mypy has one core, and on a fresh clone it takes a minute.
test: style  ## formatting, lint, types, layers and the whole test suite
	$(BIN)/python -m tests.spark.needs
	$(MAKE) --no-print-directory --jobs=2 types suite

suite: $(VENV)/.collected browser
	$(PYTEST) $(NEVER_STUCK)

browser:
	sh tools/install_browser.sh

test-slow: $(VENV)/.installed  ## kills, damage and crowds at length, and every property on many examples (long)
	WHORL_EXAMPLES=all $(PYTEST) -m 'slow or properties'

# Quick tests hardly wait, and each process imports and collects all of them: four seconds.
quick: WORKERS := -n 2
quick: $(VENV)/.installed  ## what catches most mistakes, in under a minute: format, lint, layers, and the quick tests
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/lint-imports >/dev/null || $(BIN)/lint-imports
	WHORL_EXAMPLES=few $(PYTEST) $(LEFT_OUT:%=--ignore=tests/%)

MINUTES ?= 60
torture: $(VENV)/.installed  ## kills, power cuts, failing calls, flips and interrupts of every store, then an hour of a served index under 64 clients with random kills; SECONDS=600 MINUTES=5 for a short run
	$(BIN)/python -m tests.torture --seconds $(SECONDS)
	$(BIN)/python -m tests.service.soak --minutes $(MINUTES)

check: style types  ## formatting, lint, types and layers

style: $(VENV)/.installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

types: $(VENV)/.installed
	$(BIN)/mypy

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
	rm -rf $(VENV) build dist report reproduction site src/*.egg-info src/whorl/kernel/*.so src/whorl/kernel/*.c src/whorl/formats/code/normal/*.so

wheel: $(VENV)/.installed  ## build a wheel and a source distribution into dist/, and look for files that do not belong there
	$(BIN)/python tools/make_distributions.py

sbom: $(VENV)/.installed  ## write dist/whorl.cdx.json: what the container installs, with versions and hashes (CycloneDX)
	mkdir -p dist
	$(BIN)/python tools/make_sbom.py > dist/whorl.cdx.json

lock: $(VENV)/.installed  ## choose the versions of all dependencies anew, with their hashes (needs a network)
	$(BIN)/python tools/make_locks.py

# Three steps, each repeated only when what it installs changed: the packages that Whorl runs on, Whorl itself with its
# kernel, and the tools. Of the kernel only the modules that changed are compiled.
# Packages are compiled when they are first imported: most of them never are. Whorl itself is compiled at once, since
# its workers may write nothing.
LOCKED := $(BIN)/python -m pip install --quiet --no-compile --require-hashes

$(VENV)/.packages: requirements/build.txt requirements/plain.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(LOCKED) -r requirements/build.txt -r requirements/plain.txt
	touch $@

$(VENV)/.kernel: $(VENV)/.packages pyproject.toml setup.py $(KERNEL)
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable .
	$(BIN)/python -m compileall -q -j 0 src/whorl
	touch $@

$(VENV)/.installed: $(VENV)/.packages requirements/development.txt | $(VENV)/.kernel
	$(LOCKED) -r requirements/development.txt
	touch $@

# Compile the modules that tests import once; else each test process compiles all of them at the same time.
COLLECT := $(BIN)/python -m pytest --collect-only --quiet

$(VENV)/.collected: $(VENV)/.installed
	$(COLLECT) >/dev/null || $(COLLECT)
	touch $@
