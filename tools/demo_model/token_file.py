# SPDX-License-Identifier: Apache-2.0
"""Arrays of uint16 tokens as zstd files, through whichever zstd this Python has."""

import numpy as np


def _compress(raw):
    try:
        import zstandard

        return zstandard.ZstdCompressor(level=3).compress(raw)
    except ImportError:
        import pyarrow

        return pyarrow.Codec("zstd", compression_level=3).compress(raw, asbytes=True)


def _decompress(raw, size):
    try:
        import zstandard

        return zstandard.ZstdDecompressor().decompress(raw, max_output_size=size)
    except ImportError:
        import pyarrow

        return pyarrow.Codec("zstd").decompress(raw, decompressed_size=size, asbytes=True)


def write(path, tokens):
    """u64 count, then the compressed tokens."""
    raw = np.ascontiguousarray(tokens, dtype="<u2").tobytes()
    with open(path, "wb") as file:
        file.write(np.uint64(len(raw) // 2).tobytes() + _compress(raw))


def read(path):
    content = open(path, "rb").read()
    count = int(np.frombuffer(content[:8], dtype="<u8")[0])
    return np.frombuffer(_decompress(content[8:], 2 * count), dtype="<u2")
