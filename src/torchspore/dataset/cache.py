"""DatasetCache: MindSpore's handle to a server that keeps rows."""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

from torchspore.engine.parameters import Limits, checked

__all__ = ["DatasetCache"]

_MAX_ID = 2**32 - 1


_Count: TypeAlias = Annotated[int, Limits(1, 2**31 - 1)]


class CacheStatistics(NamedTuple):
    """What `DatasetCache.get_stat` returns: the mean size of a row, and the numbers of rows in memory and on disk."""

    avg_cache_sz: int = 0
    num_mem_cached: int = 0
    num_disk_cached: int = 0


class DatasetCache:
    """A session with MindSpore's cache server, which no operation needs here: rows are computed again in each epoch.

    The arguments are checked, and have no effect.

    Args:
        session_id: the number of the session, in [1, 2**32).
        size: the memory in megabytes, 0 for any. Default: 0.
        spilling: whether rows that do not fit go to the disk. Default: False.
        hostname: the server. Default: None, this machine.
        port: its port, in [1025, 65535]. Default: None, 50052.
        num_connections: the number of connections to it. Default: None, 12.
        prefetch_size: the number of rows in a message. Default: None, 20.

    Examples:
        >>> import torchspore.dataset as ds
        >>> cache = ds.DatasetCache(session_id=1, size=0)
        >>> data = ds.NumpySlicesDataset([1, 2], ["x"], shuffle=False).map(lambda x: x + 1, cache=cache)
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
        [2, 3]
        >>> cache.get_stat().num_mem_cached
        0
    """

    @checked
    def __init__(
        self, session_id: Annotated[int, Limits(1, _MAX_ID)], size: Annotated[int, Limits(0, 2**64 - 1)] = 0,
        spilling: bool = False, hostname: str | None = None, port: Annotated[int, Limits(1025, 65535)] | None = None,
        num_connections: _Count | None = None, prefetch_size: _Count | None = None,
    ) -> None:  # fmt: skip
        self.session_id, self.size, self.spilling = session_id, size, spilling
        self.hostname, self.port = hostname, port
        self.num_connections, self.prefetch_size = num_connections, prefetch_size

    def get_stat(self) -> CacheStatistics:
        """Return how much is cached: nothing."""
        return CacheStatistics()
