"""Text sources shuffle as asked, SentencePiece learns and divides, and missing packages are named."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import preloaded
import torchspore.dataset as ds
import torchspore.dataset.text as text
from torchspore.dataset import config

FIRST, SECOND = [f"a{number}" for number in range(20)], [f"b{number}" for number in range(20)]


@pytest.fixture(autouse=True)
def no_seed():
    ds.config.set_seed(5489)  # the default, which means none
    yield
    ds.config.set_seed(5489)


@pytest.fixture
def files(tmp_path):
    for name, lines in (("1.txt", FIRST), ("2.txt", SECOND)):
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    return str(tmp_path / "*.txt")


def lines(data):
    return [row["text"].item() for row in data.create_dict_iterator(num_epochs=1)]


def test_global_shuffle_mixes_the_files(files):
    found = lines(ds.TextFileDataset(files))
    assert sorted(found) == sorted(FIRST + SECOND)
    assert found not in (FIRST + SECOND, SECOND + FIRST)
    assert {line[0] for line in found[:15]} == {"a", "b"}


def test_shuffle_of_files_keeps_their_lines_together(files):
    data = ds.TextFileDataset(files, num_parallel_workers=1, shuffle=ds.Shuffle.FILES)
    found = [lines(data) for _ in range(20)]
    assert {tuple(each) for each in found} == {tuple(FIRST + SECOND), tuple(SECOND + FIRST)}


def test_files_take_turns_for_workers_of_the_settings(files, monkeypatch):
    monkeypatch.setitem(config._values, "num_parallel_workers", 2)
    assert lines(ds.TextFileDataset(files, shuffle=False))[:4] == ["a0", "b0", "a1", "b1"]
    monkeypatch.setitem(config._values, "num_parallel_workers", None)
    assert lines(ds.TextFileDataset(files, shuffle=False)) == FIRST + SECOND


def test_shuffle_inside_files_keeps_the_order_of_files(files):
    found = lines(ds.TextFileDataset(files, num_parallel_workers=1, shuffle=ds.Shuffle.INFILE))
    assert (sorted(found[:20]), sorted(found[20:])) == (sorted(FIRST), sorted(SECOND))
    assert found != FIRST + SECOND


def test_epochs_differ_and_seeds_repeat(files):
    def epochs():
        ds.config.set_seed(7)
        iterator = ds.TextFileDataset(files).create_tuple_iterator(num_epochs=2, output_numpy=True)
        return [[row[0].item() for row in iterator] for _ in range(2)]

    first, again = epochs(), epochs()
    assert first == again
    assert first[0] != first[1]


def test_shards_share_the_lines_also_when_shuffled(files):
    shards = [lines(ds.TextFileDataset(files, num_shards=4, shard_id=shard)) for shard in range(4)]
    assert [len(shard) for shard in shards] == [10] * 4
    assert collections.Counter(line for shard in shards for line in shard) == collections.Counter(FIRST + SECOND)


def test_files_are_read_when_the_first_row_is_asked_for(tmp_path):
    path = tmp_path / "late.txt"
    path.write_text("early", encoding="utf-8")
    data = ds.TextFileDataset(str(path))
    path.write_text("late", encoding="utf-8")
    assert lines(data) == ["late"]


def test_a_file_in_another_encoding_is_named(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("é".encode("latin1"))
    with pytest.raises(RuntimeError, match=r"^For 'TextFileDataset', the file '.*latin\.txt' cannot be read: "):
        lines(ds.TextFileDataset(str(path)))


def test_wrong_cache(files):
    with pytest.raises(TypeError, match=r"^For 'TextFileDataset', 'cache' must be"):
        ds.TextFileDataset(files, cache=object())


@pytest.fixture
def sentences():
    pytest.importorskip("sentencepiece")
    words = ["deep", "sea", "deeper", "seas", "the", "is"]
    chosen = np.random.default_rng(0).choice(words, (200, 4))
    return ds.NumpySlicesDataset([" ".join(row) for row in chosen], ["line"], shuffle=False)


@pytest.mark.parametrize("kind", [text.SentencePieceModel.UNIGRAM, text.SentencePieceModel.BPE])
def test_sentencepiece_vocabulary(sentences, kind, tmp_path):
    vocab = text.SentencePieceVocab.from_dataset(
        sentences, ["line"], 15, 1.0, kind, {"user_defined_symbols": ["<mask>"]}
    )
    text.SentencePieceVocab.save_model(vocab, str(tmp_path), "vocab.model")
    for mode in (vocab, str(tmp_path / "vocab.model")):
        pieces = text.SentencePieceTokenizer(mode, text.SPieceTokenizerOutType.STRING)("the deep sea")
        numbers = text.SentencePieceTokenizer(mode, text.SPieceTokenizerOutType.INT)("the deep sea")
        assert "".join(pieces).replace("▁", " ") == " the deep sea"
        assert (numbers.dtype, len(numbers)) == (np.int32, len(pieces))
        assert numbers.min() > 0  # nothing is unknown
        assert "<mask>" in text.SentencePieceTokenizer(mode, text.SPieceTokenizerOutType.STRING)("<mask> sea")


def test_sentencepiece_in_a_pipeline(sentences):
    vocab = text.SentencePieceVocab.from_dataset(sentences, [], 20, 1.0, text.SentencePieceModel.BPE, {})
    data = sentences.map(text.SentencePieceTokenizer(vocab, text.SPieceTokenizerOutType.INT))
    row = next(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert row["line"].dtype == np.int32


KIND = text.SentencePieceModel.BPE
WRONG = [
    (lambda data: text.SentencePieceVocab.from_dataset(data, 3, 20, 1.0, KIND, {}), TypeError),
    (lambda data: text.SentencePieceVocab.from_dataset(3, [], 20, 1.0, KIND, {}), TypeError),
    (lambda data: text.SentencePieceVocab.from_dataset(data, ["none"], 20, 1.0, KIND, {}), RuntimeError),
    (lambda data: text.SentencePieceVocab.from_dataset(data, [], 0, 1.0, KIND, {}), ValueError),
    (lambda data: text.SentencePieceVocab.from_dataset(data, [], 20, 2.0, KIND, {}), ValueError),
    (lambda data: text.SentencePieceVocab.from_dataset(data, [], 20, 1, KIND, {}), TypeError),
    (lambda data: text.SentencePieceVocab.from_dataset(data, [], 20, 1.0, 1, {}), TypeError),
    (lambda data: text.SentencePieceVocab.from_dataset(data, [], 20, 1.0, KIND, 3), TypeError),
    (lambda data: text.SentencePieceVocab.from_dataset(data, [], 9000, 1.0, KIND, {}), RuntimeError),
    (lambda data: text.SentencePieceVocab.from_file("x", 20, 1.0, KIND, {}), TypeError),
    (lambda data: text.SentencePieceVocab.from_file(["none"], 20, 1.0, KIND, {}), ValueError),
    (lambda data: text.SentencePieceVocab.save_model(3, ".", "x"), TypeError),
    (lambda data: text.SentencePieceVocab.save_model(text.SentencePieceVocab(), "none", "x"), ValueError),
    (lambda data: text.SentencePieceTokenizer(3, text.SPieceTokenizerOutType.INT), TypeError),
    (lambda data: text.SentencePieceTokenizer("none", text.SPieceTokenizerOutType.INT), ValueError),
    (lambda data: text.SentencePieceTokenizer(__file__, text.SPieceTokenizerOutType.INT), ValueError),
    (lambda data: text.SentencePieceTokenizer(__file__, 1), TypeError),
]


@pytest.mark.parametrize(("call", "error"), WRONG)
def test_sentencepiece_checks_its_arguments(sentences, call, error):
    with pytest.raises(error, match=r"^For 'SentencePiece"):
        call(sentences)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "call"),
    [
        ("regex", r"text.RegexTokenizer(r'\p{Han}')"),
        ("sentencepiece", "text.SentencePieceTokenizer(text.__file__, text.SPieceTokenizerOutType.INT)"),
    ],
)
def test_a_missing_package_is_named(package, call):
    shown = preloaded.output_of(
        f"import sys\nsys.modules[{package!r}] = None\nimport torchspore.dataset.text as text\n"
        f"try:\n    {call}\nexcept ImportError as error:\n    print(error)\n"
    )
    assert f"pip install {package}" in shown
    assert "torchspore[text]" in shown


@pytest.mark.parametrize(
    ("characters", "tokens"),
    [("a\U0001d400中。", ["a\U0001d400", "中", "。"]), ("\ufffd\u200d", ["\ufffd"]), ("x\u0301ç", ["x\u0301ç"])],
)
def test_basic_tokenizer_beyond_ascii(characters, tokens):
    assert text.BasicTokenizer()(characters).tolist() == tokens
