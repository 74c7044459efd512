"""Recordings of speech and music, with what is said or played.

MindSpore: `mindspore.dataset`.
"""

from __future__ import annotations

import functools
import os
import re
import wave
from typing import Any, Literal, TypeAlias

import numpy as np

from torchspore.dataset.parameters import Cache, Count, Folder, Shard, Workers, extends
from torchspore.dataset.rows.values import Array, Row
from torchspore.dataset.sources.folders import FolderDataset, Read, Records, WholeFolder, lines_of, listed
from torchspore.dataset.sources.published.song_parts import PARTS
from torchspore.engine.storage.reading import check_regular, read_bytes

__all__ = [
    "CMUArcticDataset", "GTZANDataset", "LJSpeechDataset", "LibriTTSDataset", "SpeechCommandsDataset",
    "TedliumDataset", "YesNoDataset",
]  # fmt: skip


def _sound(path: str, rate_type: type[np.generic]) -> Row:
    """Return the waveform (channels, length) of a WAV file, from -1 to 1, and its sampling rate."""
    check_regular(path)
    try:
        with wave.open(path, "rb") as file:
            channels, width, rate = file.getnchannels(), file.getsampwidth(), file.getframerate()
            content = file.readframes(file.getnframes())
    except (wave.Error, EOFError, RuntimeError) as error:  # the last from a chunk that is longer than the file
        raise ValueError(f"it must be a WAV file of integers: {error or 'it ends too early'}") from error
    if width != 2 or len(content) % (2 * channels):
        raise ValueError(f"its samples must have 16 bits, but they have {8 * width}, or it ends too early")
    return _waveform(content, "<i2", channels), np.array(rate, rate_type)


def _waveform(content: bytes, kind: str, channels: int) -> Array:
    samples = np.frombuffer(content, kind).reshape(-1, channels).T
    return np.divide(samples, np.float32(2**15 - 1), dtype=np.float32, order="C")


_Speaker: TypeAlias = Literal[
    "aew", "ahw", "aup", "awb", "axb", "bdl", "clb", "eey", "fem", "gka", "jmk", "ksp", "ljm", "lnh", "rms", "rxr",
    "slp", "slt",
]  # fmt: skip
_short_sound = functools.partial(_sound, rate_type=np.int32)
_unsigned_sound = functools.partial(_sound, rate_type=np.uint32)


class CMUArcticDataset(Records, WholeFolder):
    """The sentences of CMU Arctic, read by one person: waveform of float32, rate of uint32, text and name of each.

    The columns are "waveform" (1, length), "sample_rate", "transcript" and "utterance_id".

    Args:
        dataset_dir: the folder, with folders such as "cmu_us_aew_arctic".
        name: the person: "aew", "ahw", "aup", "awb", "axb", "bdl", "clb", "eey", "fem", "gka", "jmk", "ksp", "ljm",
            "lnh", "rms", "rxr", "slp" or "slt". Default: None, "aew".
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile, wave
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> root = pathlib.Path(folder.name, "cmu_us_aew_arctic")
        >>> for name in ("wav", "etc"):
        ...     (root / name).mkdir(parents=True)
        >>> _ = (root / "etc" / "txt.done.data").write_text('( arctic_a0001 "Author of the danger." )')
        >>> with wave.open(str(root / "wav" / "arctic_a0001.wav"), "wb") as file:
        ...     file.setparams((1, 2, 16000, 0, "NONE", ""))
        ...     file.writeframes(bytes(200))
        >>> for row in ds.CMUArcticDataset(folder.name).create_dict_iterator(num_epochs=1):
        ...     print(row["waveform"].shape, row["sample_rate"], row["transcript"], row["utterance_id"])
        (1, 100) 16000 Author of the danger. a0001
        >>> folder.cleanup()
    """

    columns = ("waveform", "sample_rate", "transcript", "utterance_id")

    @extends(WholeFolder)
    def __init__(
        self, dataset_dir: Folder, name: _Speaker | None = None, num_samples: Count = None,
        num_parallel_workers: Workers = None, shuffle: bool | None = None, sampler: Any = None,
        num_shards: Shard = None, shard_id: Shard = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        self.name = name or "aew"

    def _find(self) -> list[tuple[Any, ...]]:
        folder = self._path(f"cmu_us_{self.name}_arctic")
        found: list[tuple[Any, ...]] = []
        for line in lines_of(os.path.join(folder, "etc", "txt.done.data")):
            match = re.fullmatch(r'\(\s*(\S+)\s+"(.*)"\s*\)', line.strip())
            if match is None:
                raise ValueError(f"a line must be like '( arctic_a0001 \"text\" )', but is {line!r:.100}.")
            sound = Read(_unsigned_sound, os.path.join(folder, "wav", f"{match[1]}.wav"))
            found.append((sound, np.array(match[2]), np.array(match[1].removeprefix("arctic_"))))
        return found


class GTZANDataset(Records, FolderDataset):
    """The songs of GTZAN: waveform of float32, rate of uint32, and the genre as text.

    The columns are "waveform" (channels, length), "sample_rate" and "label". The parts leave out repetitions and faulty
    recordings.

    Args:
        dataset_dir: the folder, with a folder for each genre.
        usage: "train", "valid", "test" or "all". Default: None, "all".
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile, wave
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> pathlib.Path(folder.name, "jazz").mkdir()
        >>> with wave.open(f"{folder.name}/jazz/jazz.00000.wav", "wb") as file:
        ...     file.setparams((1, 2, 22050, 0, "NONE", ""))
        ...     file.writeframes(bytes(200))
        >>> for row in ds.GTZANDataset(folder.name).create_dict_iterator(num_epochs=1):
        ...     print(row["waveform"].shape, row["sample_rate"], row["label"])
        (1, 100) 22050 jazz
        >>> folder.cleanup()
    """

    columns = ("waveform", "sample_rate", "label")
    usages = ("train", "valid", "test", "all")

    def _find(self) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for genre in listed(self.dataset_dir, folders=True):
            wanted = self._wanted(genre)
            for name in listed(self._path(genre), ".wav"):
                if wanted is None or name in wanted:
                    found.append((Read(_unsigned_sound, self._path(genre, name)), np.array(genre)))
        return found

    def _wanted(self, genre: str) -> set[str] | None:
        """Return the names of this part's files, or None for all."""
        if self.usage == "all":
            return None
        bounds = [each.partition("-") for each in PARTS.get((self.usage, genre), "").split()]
        numbers = [number for first, _, last in bounds for number in range(int(first), int(last or first) + 1)]
        return {f"{genre}.{number:05}.wav" for number in numbers}


class LJSpeechDataset(Records, WholeFolder):
    """The sentences of LJ Speech: waveform of float32, rate of int32, the text, and the text with numbers in words.

    The columns are "waveform" (1, length), "sample_rate", "transcription" and "normalized_transcription".

    Args:
        dataset_dir: the folder, with "metadata.csv" and "wavs".
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile, wave
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> pathlib.Path(folder.name, "wavs").mkdir()
        >>> _ = pathlib.Path(folder.name, "metadata.csv").write_text("LJ001-0001|in 1455|in fourteen fifty-five")
        >>> with wave.open(f"{folder.name}/wavs/LJ001-0001.wav", "wb") as file:
        ...     file.setparams((1, 2, 22050, 0, "NONE", ""))
        ...     file.writeframes(bytes(200))
        >>> for row in ds.LJSpeechDataset(folder.name).create_dict_iterator(num_epochs=1):
        ...     print(row["waveform"].shape, row["sample_rate"], row["transcription"])
        (1, 100) 22050 in 1455
        >>> folder.cleanup()
    """

    columns = ("waveform", "sample_rate", "transcription", "normalized_transcription")

    def _find(self) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for line in lines_of(self._path("metadata.csv")):
            name, text, normalized = line.split("|")
            found.append((Read(_short_sound, self._path("wavs", f"{name}.wav")), np.array(text), np.array(normalized)))
        return found


class LibriTTSDataset(Records, FolderDataset):
    """The sentences of LibriTTS: waveform of float32, rate of uint32, two texts, and whose they are.

    The columns are "waveform" (1, length), "sample_rate", "original_text", "normalized_text", "speaker_id" and
    "chapter_id" of uint32, and "utterance_id".

    Args:
        dataset_dir: the folder, with folders such as "dev-clean".
        usage: "dev-clean", "dev-other", "test-clean", "test-other", "train-clean-100", "train-clean-360",
            "train-other-500" or "all", those that there are. Default: None, "all".
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile, wave
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> root = pathlib.Path(folder.name, "dev-clean", "84", "12")
        >>> root.mkdir(parents=True)
        >>> _ = (root / "84_12.trans.tsv").write_text("84_12_000003_000000\\tPart 1.\\tPart one.")
        >>> with wave.open(str(root / "84_12_000003_000000.wav"), "wb") as file:
        ...     file.setparams((1, 2, 24000, 0, "NONE", ""))
        ...     file.writeframes(bytes(200))
        >>> for row in ds.LibriTTSDataset(folder.name).create_dict_iterator(num_epochs=1):
        ...     print(row["waveform"].shape, row["normalized_text"], row["speaker_id"])
        (1, 100) Part one. 84
        >>> folder.cleanup()
    """

    columns = (
        "waveform", "sample_rate", "original_text", "normalized_text", "speaker_id", "chapter_id", "utterance_id",
    )  # fmt: skip
    usages = (
        "dev-clean", "dev-other", "test-clean", "test-other", "train-clean-100", "train-clean-360", "train-other-500",
        "all",
    )  # fmt: skip

    def _find(self) -> list[tuple[Any, ...]]:
        parts = [part for part in self._parts() if self.usage != "all" or os.path.isdir(self._path(part))]
        folders = [
            (part, speaker, chapter)
            for part in parts
            for speaker in sorted(listed(self._path(part), folders=True), key=int)
            for chapter in sorted(listed(self._path(part, speaker), folders=True), key=int)
        ]
        return [record for folder in folders for record in self._chapter(*folder)]

    def _chapter(self, part: str, speaker: str, chapter: str) -> list[tuple[Any, ...]]:
        folder = self._path(part, speaker, chapter)
        found: list[tuple[Any, ...]] = []
        for line in lines_of(os.path.join(folder, f"{speaker}_{chapter}.trans.tsv")):
            name, *texts = line.split("\t")
            if len(texts) != 2:
                raise ValueError(f"{name!r} must have two texts, but has {len(texts)}.")
            sound = Read(_unsigned_sound, os.path.join(folder, f"{name}.wav"))
            whose = np.uint32(int(speaker)), np.uint32(int(chapter)), np.array(name)
            found.append((sound, np.array(texts[0]), np.array(texts[1]), *whose))
        return found


class SpeechCommandsDataset(Records, FolderDataset):
    """The spoken words of Speech Commands: waveform of float32, rate of int32, the word, the speaker, and a number.

    The columns are "waveform" (1, length), "sample_rate", "label", "speaker_id" and "utterance_number" of int32.

    Args:
        dataset_dir: the folder, with a folder for each word, "testing_list.txt" and "validation_list.txt".
        usage: "train", "valid", "test" or "all". Default: None, "all".
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile, wave
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> pathlib.Path(folder.name, "cat").mkdir()
        >>> with wave.open(f"{folder.name}/cat/5a33edf_nohash_1.wav", "wb") as file:
        ...     file.setparams((1, 2, 16000, 0, "NONE", ""))
        ...     file.writeframes(bytes(200))
        >>> for row in ds.SpeechCommandsDataset(folder.name).create_dict_iterator(num_epochs=1):
        ...     print(row["waveform"].shape, row["label"], row["speaker_id"], row["utterance_number"])
        (1, 100) cat 5a33edf 1
        >>> folder.cleanup()
    """

    columns = ("waveform", "sample_rate", "label", "speaker_id", "utterance_number")
    usages = ("train", "test", "valid", "all")

    def _find(self) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for word, name in self._wanted():
            speaker, _, number = name.removesuffix(".wav").partition("_nohash_")
            sound = Read(_short_sound, self._path(word, name))
            found.append((sound, np.array(word), np.array(speaker), np.int32(int(number))))
        return found

    def _wanted(self) -> list[tuple[str, str]]:
        words = [word for word in listed(self.dataset_dir, folders=True) if word != "_background_noise_"]
        there = [(word, name) for word in words for name in listed(self._path(word), ".wav")]
        if self.usage == "all":
            return there
        test, valid = [
            {tuple(line.strip().split("/")) for line in lines_of(self._path(f"{name}_list.txt"))}
            for name in ("testing", "validation")
        ]
        if self.usage == "train":
            return [file for file in there if file not in test and file not in valid]
        return [file for file in there if file in (test if self.usage == "test" else valid)]


class TedliumDataset(Records, FolderDataset):
    """The talks of TED-LIUM, a row for each passage: waveform of float32, rate of int32, text, and whose it is.

    The columns are "waveform" (1, length), "sample_rate", "transcript", "talk_id", "speaker_id" and "identifier".

    Args:
        dataset_dir: the folder of the release.
        release: "release1", "release2" or "release3".
        usage: "train", "test", "dev" or "all"; for "release3" only "all". Default: None, "all".
        extensions: the ending of the recordings, ".sph". Default: None, that.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import pathlib, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> root = pathlib.Path(folder.name, "data")
        >>> for name in ("sph", "stm"):
        ...     (root / name).mkdir(parents=True)
        >>> head = b"NIST_1A\\n   1024\\nsample_rate -i 16000\\nchannel_count -i 1\\nend_head\\n"
        >>> _ = (root / "sph" / "Al.sph").write_bytes(head.ljust(1024) + bytes(32000))
        >>> _ = (root / "stm" / "Al.stm").write_text("Al 1 Al 0.25 0.50 <o,f0,male> hello world")
        >>> for row in ds.TedliumDataset(folder.name, "release3").create_dict_iterator(num_epochs=1):
        ...     print(row["waveform"].shape, row["transcript"])
        (1, 4000) hello world
        >>> folder.cleanup()
    """

    columns = ("waveform", "sample_rate", "transcript", "talk_id", "speaker_id", "identifier")

    @property
    def usages(self) -> tuple[str, ...]:  # type: ignore[override]
        """The parts that there are: they depend on `release`."""
        return ("all",) if self.release == "release3" else ("dev", "test", "train", "all")

    @extends(FolderDataset)
    def __init__(
        self, dataset_dir: Folder, release: Literal["release1", "release2", "release3"], usage: str | None = None,
        extensions: Literal[".sph"] | None = None, num_samples: Count = None, num_parallel_workers: Workers = None,
        shuffle: bool | None = None, sampler: Any = None, num_shards: Shard = None, shard_id: Shard = None,
        cache: Cache = None,
    ) -> None:  # fmt: skip
        self.release = release

    def _find(self) -> list[tuple[Any, ...]]:
        folders = [self._path(part) for part in (["data"] if self.release == "release3" else self._parts())]
        talks = sorted((name, folder) for folder in folders for name in listed(os.path.join(folder, "stm"), ".stm"))
        passages = [
            (number, talk, folder, line)
            for talk, folder in talks
            for number, line in enumerate(lines_of(os.path.join(folder, "stm", talk)))
        ]  # in MindSpore the first passages of all talks come first, then the second ones
        return [self._passage(folder, line) for _, _, folder, line in sorted(passages, key=lambda each: each[:2])]

    def _passage(self, folder: str, line: str) -> tuple[Any, ...]:
        talk, _, speaker, start, end, identifier, *words = line.split(" ")
        read = functools.partial(_passage, float(start), float(end))
        texts = " ".join(words), talk, speaker, identifier
        return Read(read, os.path.join(folder, "sph", f"{talk}.sph")), *[np.array(text) for text in texts]


def _passage(start: float, end: float, path: str) -> Row:
    """Return a part of a NIST SPHERE file, from second to second, and its sampling rate."""
    content = read_bytes(path)
    head, ended, _ = content[:1024].partition(b"end_head")
    if not head.startswith(b"NIST_1A") or not ended:
        raise ValueError("it must be a NIST SPHERE file")
    facts = dict(re.findall(r"(\w+) -\w+ (\S+)", head.decode("ascii", "replace")))
    rate, channels = int(facts["sample_rate"]), int(facts.get("channel_count", "1"))
    kind = ">i2" if facts.get("sample_byte_format") == "10" else "<i2"
    if facts.get("sample_n_bytes", "2") != "2" or not facts.get("sample_coding", "pcm").startswith("pcm"):
        raise ValueError("its samples must be plain numbers of 16 bits")
    whole = content[1024 : 1024 + (len(content) - 1024) // (2 * channels) * 2 * channels]
    waveform = _waveform(whole, kind, channels)[:, int(start * rate) : int(end * rate)]
    return np.ascontiguousarray(waveform), np.array(rate, np.int32)


class YesNoDataset(Records, WholeFolder):
    """The sequences of eight Hebrew words for yes and no: waveform of float32, rate of int32, labels of int32.

    The columns are "waveform" (1, length), "sample_rate" and "label", eight numbers, 1 for yes.

    Args:
        dataset_dir: the folder, with files such as "1_1_0_0_1_1_0_0.wav".
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MappableDataset`.

    Examples:
        >>> import tempfile, wave
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> with wave.open(f"{folder.name}/1_1_0_0_1_1_0_0.wav", "wb") as file:
        ...     file.setparams((1, 2, 8000, 0, "NONE", ""))
        ...     file.writeframes(bytes(200))
        >>> for row in ds.YesNoDataset(folder.name).create_dict_iterator(num_epochs=1):
        ...     print(row["waveform"].shape, row["label"])
        (1, 100) [1 1 0 0 1 1 0 0]
        >>> folder.cleanup()
    """

    columns = ("waveform", "sample_rate", "label")

    def _find(self) -> list[tuple[Any, ...]]:
        return [
            (Read(_short_sound, self._path(name)), np.array(name.removesuffix(".wav").split("_"), np.int32))
            for name in listed(self.dataset_dir, ".wav")
        ]
