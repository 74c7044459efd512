"""Expressions over sources of text files, which `tests/data/record_dataset.py` ran under MindSpore.

Names: `rows` returns the rows of a source `kind` ("TextFile" for `TextFileDataset`) of files or a folder, in order and
with one worker; `each` the rows of several shards, `source` the source itself; `Shuffle` is `dataset.Shuffle`.
"""

from __future__ import annotations

import itertools
import json
import pathlib

import numpy as np
from text_cases import grouped

# ruff: noqa: E501
_VALUES = '"1","T ""q"" a","d, \\n x"\n2,b,"two\nlines"\n'
_QUESTION = {"question": "Q", "answers": [{"text": "a", "answer_start": 1}, {"text": "b", "answer_start": 2}]}
_CLUE = {
    "AFQMC": {"label": "0", "sentence1": "a", "sentence2": "b", "id": 3},
    "CMNLI": {"sentence1": "a", "sentence2": "b", "label": "neutral", "id": 0},
    "CSL": {"id": 1, "abst": "x", "keyword": ["k1", "k2"], "label": "1"},
    "IFLYTEK": {"label": "110", "label_des": "d", "sentence": "s", "id": 0},
    "TNEWS": {"label": "102", "sentence": "s", "keywords": "k", "label_desc": "l", "id": 0},
    "WSC": {
        "target": {"span1_index": 0, "span2_index": 4, "span1_text": "a", "span2_text": "b"},
        "idx": 0,
        "label": "true",
        "text": "t",
    },
}


def _squad(name, question):
    return json.dumps({"data": [{"paragraphs": [{"context": name, "qas": [question]}]}]})


def _talks(folder, release):
    """Return the files of IWSLT for German and English, by name."""
    files = {}
    for language in ("de", "en"):
        tags = f"<url>u</url>\n<title>{language} T</title>\n {language} One. \n{language} &amp; two <b> x\n <i>lead\n<reviewer>r</reviewer>\n"
        files[f"{folder}/train.tags.de-en.{language}"] = tags
        for name in ("dev2010", "tst2010", "tst2013", "tst2014"):
            segments = f'<seg id="1"> {name} {language} </seg>\n<seg id="2">a &amp; b</seg>'
            content = f'<?xml version="1.0" encoding="UTF-8"?>\n<mteval><srcset setid="x">\n<doc docid="1">\n<title>t</title>\n{segments}\n</doc></srcset></mteval>\n'
            files[f"{folder}/{release}.TED.{name}.de-en.{language}.xml"] = content
    return files


FILES = {
    "a.txt": "one\ntwo\n\n  three \nfour\r\nfive", "b.txt": "six\nseven\n",
    "h.csv": 'id,name,score\n1,ann,0.5\n2,"b, ob",1.5\n3,"c ""x""",\n', "n.csv": "1,ann,0.5\n2,bob,1.5\n",
    "e.csv": '1,2,3\n\n4,,6\n"a\nb",8,9\n', "bad.csv": "1,2\n3\n", "semi.csv": "1;2\n3;4\n", "sp.csv": " 1 , x ,2.5\n",
    **{f"{folder}/{name}": content for folder in ("ag", "amazon", "db", "sogou") for name, content in (("train.csv", _VALUES), ("test.csv", "3,x,y\n"))},
    "yahoo/train.csv": '"1","t","c","a"\n', "yahoo/test.csv": '"2","t","c","a"\n',
    "yelp/train.csv": '"1","text here"\n', "yelp/test.csv": '"2","x"\n',
    "enwik9/enwik9": "<a>\n\n  b\nc",
    "ptb/ptb.train.txt": " a <unk> b \n c\n", "ptb/ptb.test.txt": " t \n", "ptb/ptb.valid.txt": " v \n",
    "wiki/wiki.train.tokens": " \n = A = \n\n text \n", "wiki/wiki.test.tokens": "t\n", "wiki/wiki.valid.tokens": "v\n",
    "sst2/train.tsv": "sentence\tlabel\nhide new \t0\nok\t1\n", "sst2/dev.tsv": "sentence\tlabel\nd\t1\n", "sst2/test.tsv": "index\tsentence\n0\tuneasy\n1\tb c\n",
    "squad/train-v1.1.json": _squad("T", _QUESTION), "squad/dev-v1.1.json": _squad("D", {"question": "Q", "answers": []}),
    "conll/train.txt": "He PRP B-NP\nruns VBZ B-VP\n. . O\n\nHi UH O\n\n", "conll/test.txt": "x y z\n\n",
    "open/train.txt": "He PRP B-NP\n\nHi UH O\n", "open/test.txt": "x y z\n\n",
    "udpos/en-ud-tag.v2.train.txt": "He\tPRON\tPRP\nruns\tVERB\tVBZ\n\nHi\tI\tUH\n\n", "udpos/en-ud-tag.v2.test.txt": "x\ty\tz\n\n", "udpos/en-ud-tag.v2.dev.txt": "v\ty\tz\n\n",
    **{f"imdb/{part}/{kind}/{name}.txt": f"{part} {kind} {name}" for part, kind, name in itertools.product(("train", "test"), ("pos", "neg"), ("b_1", "a_2"))},
    **{f"clue/{task}.json": json.dumps(record) + "\n" + json.dumps(record) + "\n" for task, record in _CLUE.items()},
    "clue/less.json": '{"label": 1}\n', "clue/none.json": "xx\n",
    **{f"m30/{name}.{language}": f"{name} {language}\n\n2 {language}\n" for name in ("training/train", "validation/val", "mmt16_task1_test/test") for language in ("en", "de")},
    **_talks("talks/texts/de/en/de-en", "IWSLT16"),
    **_talks("talks/texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo", "IWSLT17"),
}  # fmt: skip

_CASES = """
rows('TextFile', 'a.txt')
rows('TextFile', ['b.txt', 'a.txt'])
rows('TextFile', '*.txt')
rows('TextFile', 'a.txt', num_samples=2)
rows('TextFile', 'a.txt', num_samples=100)
rows('TextFile', 'a.txt', num_samples=0)
each('TextFile', 2, 'a.txt')
each('TextFile', 3, ['a.txt', 'b.txt'])
each('TextFile', 3, ['a.txt', 'b.txt'], num_samples=1)
each('TextFile', 2, 'a.txt', num_samples=3)
sorted(map(str, rows('TextFile', 'a.txt', shuffle=True)))
sorted(map(str, rows('TextFile', 'a.txt', shuffle=None, num_samples=2)))
sorted(map(str, rows('TextFile', ['a.txt', 'b.txt'], shuffle=Shuffle.FILES)))
rows('TextFile', 'a.txt', shuffle=3)
rows('TextFile', 'a.txt', shuffle='global')
rows('TextFile', 'a.txt', num_samples=-1)
rows('TextFile', 'a.txt', num_samples=1.5)
rows('TextFile', 'a.txt', num_shards=2)
rows('TextFile', 'a.txt', num_shards=2, shard_id=2)
rows('TextFile', 'a.txt', num_parallel_workers=0)
rows('TextFile', [])
rows('TextFile', 3)
rows('TextFile', 'none')
rows('TextFile', ['a.txt', 3])
source('TextFile', 'a.txt').get_dataset_size()
source('TextFile', 'a.txt', num_shards=2, shard_id=1).get_dataset_size()
source('TextFile', 'a.txt', num_samples=2).get_dataset_size()
source('TextFile', 'a.txt').get_col_names()
source('TextFile', 'a.txt').is_shuffled(), source('TextFile', 'a.txt', shuffle=True).is_shuffled()
source('TextFile', 'a.txt').is_sharded(), source('TextFile', 'a.txt', num_shards=2, shard_id=0).is_sharded()
rows('CSV', 'h.csv')
rows('CSV', 'h.csv', column_names=['a', 'b', 'c'])
rows('CSV', 'n.csv', column_names=['a', 'b', 'c'], column_defaults=[0, '', 0.0])
rows('CSV', 'h.csv', column_defaults=[0, '', 0.25])
rows('CSV', 'h.csv', column_defaults=['', '', 'x'])
rows('CSV', 'h.csv', column_defaults=[0])
rows('CSV', 'e.csv', column_names=['a', 'b', 'c'])
rows('CSV', 'e.csv', column_names=['a', 'b', 'c'], column_defaults=['', 7, 0.5])
rows('CSV', 'bad.csv', column_names=['a', 'b'])
rows('CSV', 'semi.csv', ';', column_names=['a', 'b'])
rows('CSV', 'semi.csv', ';', [1], ['a', 'b'])
rows('CSV', 'semi.csv', ';', [1, None], ['a', 'b'])
rows('CSV', 'semi.csv', ';;', column_names=['a', 'b'])
rows('CSV', 'semi.csv', '"', column_names=['a', 'b'])
rows('CSV', 'sp.csv', column_names=['a', 'b', 'c'])
rows('CSV', 'sp.csv', column_names=['a', 'b', 'c'], column_defaults=[1, '', 1.0])
rows('CSV', 'n.csv', column_names=['a', 'b', 'c'], column_defaults=[0, 1, 0.0])
rows('CSV', 'n.csv', column_names=['a', 'a', 'c'])
rows('CSV', 'n.csv', column_names=['a', 'b'])
rows('CSV', 'n.csv', column_names=['a', 'b', 'c'], num_samples=1)
rows('CSV', 'h.csv', 3)
rows('CSV', 'h.csv', ',', 3)
rows('CSV', 'h.csv', ',', None, 3)
rows('CSV', ['h.csv', 'n.csv'])
rows('CSV', ['n.csv', 'e.csv'], column_names=['a', 'b', 'c'])
each('CSV', 2, 'n.csv', column_names=['a', 'b', 'c'])
source('CSV', 'h.csv').get_dataset_size()
source('CSV', 'h.csv').get_col_names()
rows('CLUE', 'clue/less.json')
rows('CLUE', 'clue/none.json')
rows('CLUE', 'clue/AFQMC.json', 'X')
rows('CLUE', 'clue/AFQMC.json', 'AFQMC', 'all')
rows('AGNews', 'ag', 'dev')
rows('AGNews', 'ag', 3)
rows('AGNews', 'none')
rows('AGNews', 3)
rows('AGNews', 'imdb')
rows('AGNews', 'yelp')
rows('AGNews', 'ag', num_samples=1)
source('AGNews', 'ag').get_dataset_size()
rows('PennTreebank', 'ptb', 'dev')
rows('SST2', 'sst2', 'all')
rows('SQuAD', 'squad', 'test')
rows('EnWik9', 'enwik9')
rows('Multi30k', 'm30', 'test', ['de', 'en'])
rows('Multi30k', 'm30', 'test', ['de', 'fr'])
rows('Multi30k', 'imdb', 'test')
rows('IWSLT2016', 'talks', 'valid', ('de', 'en'), 'dev2010')
rows('IWSLT2016', 'talks', 'test', ['de', 'en'], None, 'tst2010')
rows('IWSLT2016', 'talks', 'test', ['de', 'en'], 'x')
rows('IWSLT2016', 'talks', 'test', ['de', 'en'], None, 'x')
rows('IWSLT2016', 'talks', 'test', 'de')
rows('IWSLT2016', 'talks', 'test', ['de', 'it'])
rows('IWSLT2016', 'talks', 'test', ['en', 'de'])
rows('IWSLT2016', 'talks', 'dev')
rows('IWSLT2017', 'talks', 'test', ['de', 'fr'])
rows('IWSLT2017', 'talks', 'test', ['de', 'it'])
rows('IMDB', 'imdb', 'train', num_samples=3)
rows('IMDB', 'imdb', 'dev')
rows('IMDB', 'ag')
each('IMDB', 2, 'imdb')
source('IMDB', 'imdb').num_classes()
rows('CoNLL2000', 'open', 'train')
"""
_USAGES = {
    "AGNews ag": "train test all", "AmazonReview amazon": "train test all", "DBpedia db": "train test all",
    "SogouNews sogou": "train test all", "YahooAnswers yahoo": "train test all", "YelpReview yelp": "train test all",
    "PennTreebank ptb": "train test valid all", "WikiText wiki": "train test valid all", "SST2 sst2": "train test dev",
    "SQuAD squad": "train dev all", "CoNLL2000 conll": "train test all", "UDPOS udpos": "train test valid all",
    "Multi30k m30": "train test valid all", "IMDB imdb": "train test all",
    "IWSLT2016 talks": "train valid test all", "IWSLT2017 talks": "train valid test all",
}  # fmt: skip

# Where TorchSpore differs on purpose: what it does instead, and for which expressions.
_INSTEAD = """
returns the last sentence even if no empty line follows
rows('CoNLL2000', 'open', 'train')
"""


def expressions():
    """Return the expressions of the table, and each source with each usage and without."""
    clue = [
        f"rows('CLUE', 'clue/{task}.json', '{task}', '{usage}')"
        for task in _CLUE
        for usage in ("train", "test", "eval")
    ]
    places = [(*place.split(), usages.split()) for place, usages in _USAGES.items()]
    parts = [f"rows('{kind}', '{folder}', '{usage}')" for kind, folder, usages in places for usage in usages]
    return [*_CASES.strip().split("\n"), *clue, *parts, *[f"rows('{kind}', '{folder}')" for kind, folder, _ in places]]


def differences():
    """Return what TorchSpore does differently, by expression."""
    return grouped(_INSTEAD)


def write_files(folder):
    """Write the files that expressions read into a folder."""
    for name, content in FILES.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="")


def namespace(ms, ds, text, folder):
    """Return the names that the expressions use, over a package and a folder with the files."""

    def inside(place):
        if isinstance(place, list):
            return [inside(each) for each in place]
        return str(pathlib.Path(folder) / place) if isinstance(place, str) else place

    def source(kind, place, *arguments, **settings):
        defaults = {"shuffle": False, "num_parallel_workers": 1}
        return getattr(ds, f"{kind}Dataset")(inside(place), *arguments, **{**defaults, **settings})

    def rows(*arguments, **settings):
        data = source(*arguments, **settings).create_dict_iterator(num_epochs=1, output_numpy=True)
        return [list(row.items()) for row in data]

    def each(kind, count, *arguments, **settings):
        return [rows(kind, *arguments, **settings, num_shards=count, shard_id=shard) for shard in range(count)]

    return {"rows": rows, "source": source, "each": each, "np": np, "Shuffle": ds.Shuffle, "map": map, "str": str}
