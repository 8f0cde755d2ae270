# SPDX-License-Identifier: Apache-2.0
"""Reads a GGUF file: metadata, and tensors as F32 (F32, Q8_0 and Q4_1, which are all we meet)."""

import struct

import numpy as np

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
F32, Q4_1, Q8_0 = 0, 3, 8
BLOCK = 32


class _Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def scalar(self, code):
        (value,) = struct.unpack_from("<" + code, self.data, self.at)
        self.at += struct.calcsize("<" + code)
        return value

    def string(self):
        size = self.scalar("Q")
        self.at += size
        return bytes(self.data[self.at - size : self.at]).decode("utf-8", "surrogateescape")

    def value(self, kind):
        if kind == STRING:
            return self.string()
        if kind != ARRAY:
            return self.scalar(SCALARS[kind])
        inner, count = self.scalar("I"), self.scalar("Q")
        return [self.value(inner) for _ in range(count)]


def _q8_0(raw, count):
    blocks = raw[: count // BLOCK * 34].reshape(-1, 34)
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    return (blocks[:, 2:].view(np.int8) * scale).reshape(-1)


def _q4_1(raw, count):
    blocks = raw[: count // BLOCK * 20].reshape(-1, 20)
    pair = blocks[:, :4].copy().view("<f2").astype(np.float32)
    nibbles = np.concatenate([blocks[:, 4:] & 15, blocks[:, 4:] >> 4], axis=1)
    return (nibbles * pair[:, :1] + pair[:, 1:]).reshape(-1)


DECODERS = {F32: lambda raw, count: raw[: 4 * count].view("<f4"), Q4_1: _q4_1, Q8_0: _q8_0}


def read(path):
    """(metadata, {name: F32 array, row-major as in torch}) of a GGUF file."""
    data = np.fromfile(path, dtype=np.uint8)
    cursor = _Cursor(data)
    if bytes(data[:4]) != b"GGUF":
        raise ValueError(f"{path} is not a GGUF file")
    cursor.at = 8
    tensor_count, pair_count = cursor.scalar("Q"), cursor.scalar("Q")
    metadata = {}
    for _ in range(pair_count):
        key = cursor.string()
        metadata[key] = cursor.value(cursor.scalar("I"))
    infos = []
    for _ in range(tensor_count):
        name = cursor.string()
        shape = [cursor.scalar("Q") for _ in range(cursor.scalar("I"))]
        infos.append((name, shape[::-1], cursor.scalar("I"), cursor.scalar("Q")))
    start = -(-cursor.at // 32) * 32
    tensors = {
        name: DECODERS[kind](data[start + offset :], int(np.prod(shape))).reshape(shape)
        for name, shape, kind, offset in infos
    }
    return metadata, tensors
