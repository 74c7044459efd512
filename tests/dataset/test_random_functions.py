"""Random numbers in the user's functions: the same for a seed, whoever computes the rows, and when."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

import fuzz
import torchspore as ms
import torchspore.dataset as ds
from dataset.random_pipelines import CALLER, COSTLY, FUNCTIONS, PROCESSES, THREADS, Choice, many, pipeline, shown


@pytest.fixture(autouse=True)
def _seeds():
    before = ds.config.get_num_parallel_workers()
    ds.config.set_num_parallel_workers(3)  # transforms draw the numbers of three workers
    yield
    ds.config.set_num_parallel_workers(before)
    ms.set_seed(1)
    ds.config.set_seed(5489)


def program_draws():
    return np.random.standard_normal(3).tolist(), random.gauss(0, 1), torch.rand(2).tolist()


def epochs(seed, options, count=2, draws=False):
    """Return the rows of some epochs, and the numbers that the program itself draws."""
    ms.set_seed(seed)
    iterator = pipeline(seed, options).create_tuple_iterator(num_epochs=count, output_numpy=True)
    rows, drawn = [], []
    for _ in range(count):
        for row in iterator:
            rows += shown([row])
            drawn += [program_draws()] if draws else []
        rows.append("end")
    return rows, drawn


@pytest.mark.slow
def test_rows_do_not_depend_on_workers():
    for number in fuzz.seeds(20):
        rows, drawn = epochs(number, CALLER, draws=True)
        ms.set_seed(number)
        assert drawn == [program_draws() for _ in drawn], f"seed {number}: the program's numbers"
        assert epochs(number, THREADS, draws=number % 2 == 0)[0] == rows, f"seed {number}, threads"
        assert epochs(number, PROCESSES, draws=number % 3 == 0)[0] == rows, f"seed {number}, processes"


@pytest.mark.slow
def test_iterators_go_on_anywhere():
    for number in fuzz.seeds(20):
        draw = random.Random(number)
        options, others = draw.choices([CALLER, THREADS, PROCESSES], k=2)
        expected, _ = epochs(number, options)
        ms.set_seed(number)
        stopped = pipeline(number, options).create_tuple_iterator(num_epochs=2, output_numpy=True)
        seen, where = [], draw.randrange(len(expected))
        while len(seen) < where:
            row = next(stopped, None)
            seen.append("end" if row is None else shown([row])[0])
            program_draws()
        state = json.loads(json.dumps(stopped.state_dict()))
        stopped.stop()
        ms.set_seed(number + 1)
        program_draws()
        again = pipeline(number, others).create_tuple_iterator(num_epochs=2, output_numpy=True)
        again.load_state_dict(state)
        while len(seen) < len(expected):
            row = next(again, None)
            seen.append("end" if row is None else shown([row])[0])
        again.stop()
        assert seen == expected, f"seed {number}, from {where}"


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FUNCTIONS, *COSTLY])
def test_each_kind_of_function(name):
    def rows(options):
        ds.config.set_seed(3)
        torch.manual_seed(3)
        data = ds.NumpySlicesDataset(np.arange(24.0), ["x"]).map((FUNCTIONS | COSTLY)[name](), **options)
        iterator = data.create_tuple_iterator(output_numpy=True)
        return [shown(iterator) for _ in range(2)]

    first, second = rows(CALLER)
    assert rows({}) == rows(THREADS) == rows(PROCESSES) == [first, second]
    if name not in ("nothing", "seeds itself", "torch's", "an iterator", "a pipeline inside"):
        assert sorted(x % 1 for x in first) != sorted(x % 1 for x in second)


@pytest.mark.parametrize("options", [CALLER, THREADS, PROCESSES])
def test_without_a_seed_the_programs_generators_decide(options):
    def two_iterators(seed):
        np.random.seed(seed)
        random.seed(seed)
        data = ds.NumpySlicesDataset(np.arange(5.0), ["x"], shuffle=False)
        data = data.map(lambda x: x + np.random.rand() + random.random(), **options)
        return [shown(data.create_tuple_iterator(num_epochs=1, output_numpy=True)) for _ in range(2)]

    ds.config.set_seed(5489)
    ms.common.random._global_seed, before = None, ms.get_seed()
    try:
        first, second = two_iterators(1)
        assert first != second
        assert two_iterators(1) == [first, second]
        assert two_iterators(2) != [first, second]
    finally:
        ms.common.random._global_seed = before


def test_iterators_go_on_without_a_seed():
    for number in fuzz.seeds(6):
        ds.config.set_seed(5489)
        ms.common.random._global_seed = None
        draw = random.Random(number)
        first = pipeline(number, CALLER).create_tuple_iterator(num_epochs=2, output_numpy=True)
        for _ in range(draw.randrange(4)):
            next(first, None)
        state = first.state_dict()
        again = pipeline(number, THREADS).create_tuple_iterator(num_epochs=2, output_numpy=True)
        again.load_state_dict(state)
        assert shown(again) == shown(first), f"seed {number}"
        first.stop()
        again.stop()


@pytest.mark.parametrize("sampler", [Choice, lambda: ds.IterSampler(Choice.drawn(10))])
def test_samplers_that_draw(sampler):
    ms.set_seed(3)
    expected = np.random.RandomState(3).rand()
    data = ds.NumpySlicesDataset(np.arange(10), ["x"], sampler=sampler())
    assert data.get_dataset_size() == 9
    iterator = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    first, second = shown(iterator), shown(iterator)
    assert first != second
    assert shown(data.create_tuple_iterator(num_epochs=1, output_numpy=True)) == first
    assert np.random.rand() == expected


def test_two_iterators_at_once():
    for number in fuzz.seeds(4):
        ms.set_seed(number)
        alone = [
            shown(pipeline(each, CALLER).create_tuple_iterator(num_epochs=1, output_numpy=True))
            for each in (number, 900)
        ]
        both = [
            pipeline(each, THREADS).create_tuple_iterator(num_epochs=1, output_numpy=True) for each in (number, 900)
        ]
        found = [[], []]
        for rows in itertools.zip_longest(*both):
            for seen, row in zip(found, rows):
                seen += [] if row is None else shown([row])
        assert found == alone, f"seed {number}"


def test_two_threads_of_the_program():
    def rows(number):
        data = ds.NumpySlicesDataset(np.arange(200.0), ["x"])
        data = data.map([many, lambda x: x + number + random.random()])
        return shown(data.create_tuple_iterator(num_epochs=1, output_numpy=True))

    ms.set_seed(3)
    expected = [rows(number) for number in range(3)]
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(rows, range(3))) == expected


@pytest.mark.slow
def test_spawned_workers_draw_the_same(tmp_path):
    script = tmp_path / "spawned.py"
    script.write_text(
        "import random\n"
        "import numpy as np\n"
        "import torchspore.dataset as ds\n"
        "class Noise:\n"
        "    def __init__(self):\n"
        "        self.generator = np.random.default_rng(3)\n"
        "    def __call__(self, x):\n"
        "        return x + np.random.rand() + random.random() + self.generator.random()\n"
        "if __name__ == '__main__':\n"
        "    ds.config.set_multiprocessing_start_method('spawn')\n"
        "    ds.config.set_seed(3)\n"
        "    data = ds.NumpySlicesDataset([1.0, 2.0, 3.0, 4.0], ['x'])\n"
        "    for options in ({}, {'num_parallel_workers': 2, 'python_multiprocessing': True}):\n"
        "        print([float(row[0]) for row in data.map(Noise(), **options)])\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=True)
    first, second = done.stdout.splitlines()
    assert first == second


def test_the_programs_generators_stay_what_they_are():
    list(ds.NumpySlicesDataset([1, 2], ["x"]).map(lambda x: x + np.random.rand()))
    np.random.seed(4)
    random.seed(4)
    copies = copy.deepcopy(np.random.mtrand._rand), pickle.loads(pickle.dumps(np.random.mtrand._rand))
    pythons = pickle.loads(pickle.dumps(random.random.__self__))
    assert type(pythons) is random.Random
    drawn = np.random.rand()
    assert [each.rand() for each in copies] == [drawn] * 2
    assert pythons.random() == random.random()
    assert type(pickle.loads(pickle.dumps(np.random.get_bit_generator()))) is np.random.MT19937
    assert np.random.get_state()[0] == "MT19937"
    expected = np.random.RandomState(4)
    assert expected.rand() == drawn
    with pytest.raises(ValueError, match="MT19937"):
        np.random.set_state(("PCG64", [1, 2], 3))
    with pytest.raises(ValueError, match="must be"):
        np.random.seed(-1)
    assert np.random.rand() == expected.rand()


def test_the_seed_that_was_set_last_counts():
    ms.set_seed(1)
    ds.config.set_seed(7)
    assert ds.config.get_seed() == 7
    ms.set_seed(1)
    assert ds.config.get_seed() == 1


NUMPYS = {
    "beta": (1, 1), "binomial": (5, 0.5), "bytes": (5,), "chisquare": (1,), "choice": (5,), "dirichlet": ([1, 1],),
    "exponential": (), "f": (1, 1), "gamma": (1,), "geometric": (0.5,), "gumbel": (), "hypergeometric": (5, 5, 5),
    "laplace": (), "logistic": (), "lognormal": (), "logseries": (0.5,), "multinomial": (5, [0.5, 0.5]),
    "multivariate_normal": ([0, 0], [[1, 0], [0, 1]]), "negative_binomial": (5, 0.5),
    "noncentral_chisquare": (1, 1), "noncentral_f": (1, 1, 1), "normal": (), "pareto": (1,), "permutation": (5,),
    "poisson": (), "power": (1,), "rand": (), "randint": (5,), "randn": (), "random": (), "random_sample": (),
    "ranf": (), "rayleigh": (), "sample": (), "standard_cauchy": (), "standard_exponential": (),
    "standard_gamma": (1,), "standard_normal": (), "standard_t": (1,), "triangular": (0, 1, 2), "uniform": (),
    "vonmises": (0, 1), "wald": (1, 1), "weibull": (1,), "zipf": (2,), "get_state": (),
}  # fmt: skip
PYTHONS = {
    "random": (), "getrandbits": (40,), "randbytes": (4,), "randint": (0, 9), "randrange": (9,), "choice": ([1, 2],),
    "choices": ([1, 2],), "sample": ([1, 2, 3], 2), "uniform": (0, 1), "gauss": (0, 1), "normalvariate": (0, 1),
    "triangular": (), "betavariate": (1, 1), "expovariate": (1,), "gammavariate": (1, 1), "lognormvariate": (0, 1),
    "vonmisesvariate": (0, 1), "paretovariate": (1,), "weibullvariate": (1, 1), "getstate": (),
}  # fmt: skip


@pytest.mark.parametrize(
    ("module", "name", "arguments"),
    [(np.random, *case) for case in NUMPYS.items()] + [(random, *case) for case in PYTHONS.items()],
)
def test_every_global_function_draws_the_rows_numbers(module, name, arguments):
    def draw():
        return [repr(getattr(module, name)(*arguments)) for _ in range(6)]

    seen = []
    ms.set_seed(3)
    data = ds.NumpySlicesDataset([0, 1], ["x"], shuffle=False).map(lambda x: seen.append(draw()) or x)
    list(data)
    with_rows = draw()
    ms.set_seed(3)
    draw()
    list(data)
    ms.set_seed(3)
    assert draw() == with_rows  # the program's numbers
    assert seen[:2] == seen[2:]  # the rows'
    assert len({*map(tuple, [*seen, with_rows])}) == 3 or name in ("choice", "choices", "sample", "logseries")
