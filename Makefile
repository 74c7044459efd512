# `make train` and `make test` need nothing but Python: each first makes what it lacks of the environment in .venv.

PYTHON ?= python3
VENV := .venv
IN_VENV := $(VENV)/bin/python
# A process for each core, with one thread in each.
PYTEST := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(IN_VENV) -m pytest --numprocesses auto --dist loadfile
INSTALL := $(IN_VENV) -m pip install --disable-pip-version-check --constraint requirements/constraints.txt

.PHONY: help train test test-fast test-torch gpu coverage fuzz lint format docs stubs dist clean

help:
	@echo "make train    train LeNet-5 on handwritten digits"
	@echo "make test     run the tests"
	@echo "make test-fast   run the tests that need neither a compiler nor other processes, in under two minutes"
	@echo "make test-torch VERSION=2.11.0   run the tests with another PyTorch, in an environment of its own"
	@echo "make gpu      run the tests and the benchmarks of training steps on this machine's GPU"
	@echo "make coverage write which lines the tests reach into site/coverage"
	@echo "make fuzz     run the seeded random tests with many more inputs (TORCHSPORE_FUZZ=100 times as many), new ones each day"
	@echo "make lint     check style and types"
	@echo "make docs     write the site in both languages into site/, and check it"
	@echo "make stubs    build the package of stubs for import mindspore into dist/"
	@echo "make dist     make the files of a release, the same for everyone who has the same commit, in dist/"
	@echo "make format   sort imports and format the code"
	@echo "make clean    remove the environment and all caches"
	@echo "Another Python: make PYTHON=python3.12 train"

train: $(VENV)/examples.stamp
	$(IN_VENV) examples/lenet_digits.py

test: $(VENV)/dev.stamp
	$(PYTEST)

test-fast: $(VENV)/dev.stamp
	$(PYTEST) -m "not slow"

test-torch:
	$(PYTHON) -m venv .venv-torch
	.venv-torch/bin/python -m pip install --disable-pip-version-check "torch$(if $(VERSION),==$(VERSION))" --editable '.[examples,dev,docs]'
	.venv-torch/bin/python -m pytest

# With a Python that has PyTorch for CUDA and the tests' packages: make gpu PYTHON=python3
gpu:
	PYTHONPATH=src $(PYTHON) tools/test_on_gpu.py --json benchmarks/results/gpu_tests.json; \
	PYTHONPATH=src $(PYTHON) benchmarks/step.py --device GPU --json benchmarks/results/step_gpu.json

coverage: $(VENV)/dev.stamp
	$(IN_VENV) -m pytest --cov=torchspore --cov-report=term --cov-report=html:site/coverage

fuzz: $(VENV)/dev.stamp
	export TORCHSPORE_FUZZ=$${TORCHSPORE_FUZZ:-100} TORCHSPORE_FUZZ_SEED=$${TORCHSPORE_FUZZ_SEED:-$$(($$(date +%s) / 86400))}; \
	echo "TORCHSPORE_FUZZ_SEED=$$TORCHSPORE_FUZZ_SEED"; $(IN_VENV) -m pytest $$(grep -rlE '^import fuzz' tests --include='test_*.py')

lint: $(VENV)/dev.stamp
	$(IN_VENV) -m ruff check
	$(IN_VENV) -m ruff format --check
	$(IN_VENV) -m mypy
	$(IN_VENV) tools/count_lines.py
	$(IN_VENV) tools/count_habits.py
	$(IN_VENV) benchmarks/import_time.py --limit 0.25

format: $(VENV)/dev.stamp
	$(IN_VENV) -m ruff check --fix
	$(IN_VENV) -m ruff format

docs: $(VENV)/dev.stamp
	$(IN_VENV) tools/write_site.py site
	$(IN_VENV) tools/check_site.py site

dist: $(VENV)/dev.stamp
	$(INSTALL) --editable '.[release]'
	rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(IN_VENV) -m build
	$(IN_VENV) -m twine check --strict dist/*

stubs: $(VENV)/dev.stamp
	$(IN_VENV) tools/write_mindspore_stubs.py
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(IN_VENV) -m pip wheel --disable-pip-version-check --no-deps --wheel-dir dist stubs/

clean:
	rm -rf $(VENV) .venv-torch build dist site stubs/build stubs/mindspore-stubs .coverage .mypy_cache .pytest_cache .ruff_cache
	find src tests examples -name __pycache__ -prune -exec rm -rf {} +

# A stamp stands for a finished installation; one that was interrupted, or is older than its lists, is done again.
$(VENV)/examples.stamp: pyproject.toml requirements/constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("TorchSpore needs Python 3.10 or newer" if sys.version_info < (3, 10) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable '.[examples]'
	touch $@

$(VENV)/dev.stamp: $(VENV)/examples.stamp
	$(INSTALL) --editable '.[examples,dev,docs]'
	touch $@
