# SPDX-License-Identifier: Apache-2.0
"""GGUF files out of the golden safetensors checkpoints, written without any library.

A tensor is (shape, floats), shape in Hugging Face order. quantise() gives a tensor's blocks and
what they decode to, so that the same weights can stand in a safetensors file beside it.
"""
import json
import math
import struct

U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
TYPES = {"F32": 0, "F16": 1, "Q4_0": 2, "Q8_0": 8, "BF16": 30, "MXFP4": 39}
FP4 = (0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6)


def read_safetensors(path):
    """{name: (shape, floats)} of a file of F32, BF16 and F16 tensors."""
    content = path.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + length])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        tensors[name] = (entry["shape"], decode(entry["dtype"],
                                                content[8 + length + begin:8 + length + end]))
    return tensors


def decode(dtype, raw):
    if dtype == "F32":
        return list(struct.unpack(f"<{len(raw) // 4}f", raw))
    if dtype == "F16":
        return list(struct.unpack(f"<{len(raw) // 2}e", raw))
    assert dtype == "BF16", dtype
    wide = b"".join(b"\0\0" + raw[i:i + 2] for i in range(0, len(raw), 2))
    return list(struct.unpack(f"<{len(raw) // 2}f", wide))


def bf16(value):
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) & 0xFFFF


def half(value):
    """The nearest binary16, as a float."""
    return struct.unpack("<e", struct.pack("<e", value))[0]


def q8_0(block):
    scale = half(max(map(abs, block)) / 127)
    codes = [max(-127, min(127, round(x / scale))) if scale else 0 for x in block]
    return struct.pack("<e32b", scale, *codes), [scale * q for q in codes]


def q4_0(block):
    scale = half(max(block, key=abs) / -8)
    codes = [max(0, min(15, round(x / scale) + 8)) if scale else 8 for x in block]
    packed = bytes(codes[j] | codes[j + 16] << 4 for j in range(16))
    return struct.pack("<e", scale) + packed, [scale * (q - 8) for q in codes]


def mxfp4(block):
    most = max(map(abs, block))
    exponent = max(0, math.floor(math.log2(most)) - 2 + 127) if most else 0
    scale = 2.0 ** (exponent - 127)
    codes = [min(range(16), key=lambda q: abs(FP4[q] * scale - x)) for x in block]
    packed = bytes(codes[j] | codes[j + 16] << 4 for j in range(16))
    return bytes([exponent]) + packed, [scale * FP4[q] for q in codes]


BLOCKS = {"Q8_0": q8_0, "Q4_0": q4_0, "MXFP4": mxfp4}


def quantise(kind, values):
    """(bytes, the floats that they stand for)."""
    if kind == "F32":
        return struct.pack(f"<{len(values)}f", *values), values
    if kind == "BF16":
        raw = struct.pack(f"<{len(values)}H", *map(bf16, values))
        return raw, decode("BF16", raw)
    raw, decoded = [], []
    for at in range(0, len(values), 32):
        block, back = BLOCKS[kind](values[at:at + 32])
        raw.append(block)
        decoded += back
    return b"".join(raw), decoded


def string(text):
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def item(value):
    """(type, bytes) of a Python value."""
    if isinstance(value, bool):
        return BOOL, struct.pack("<B", value)
    if isinstance(value, int):
        return U32, struct.pack("<I", value)
    if isinstance(value, float):
        return F32, struct.pack("<f", value)
    if isinstance(value, str):
        return STRING, string(value)
    items = [item(one) for one in value]
    kind = items[0][0] if items else STRING
    return ARRAY, struct.pack("<IQ", kind, len(items)) + b"".join(raw for _, raw in items)


def write(path, metadata, tensors):
    """tensors: {name: (shape, kind, bytes)}."""
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))
    for key, value in metadata.items():
        kind, raw = item(value)
        head += string(key) + struct.pack("<I", kind) + raw
    at, data = 0, []
    for name, (shape, kind, raw) in tensors.items():
        head += string(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))
        head += struct.pack("<IQ", TYPES[kind], at)
        data.append(raw + bytes(-len(raw) % 32))
        at += len(data[-1])
    path.write_bytes(head + bytes(-len(head) % 32) + b"".join(data))
    return path


def write_safetensors(path, tensors):
    """tensors: {name: (shape, floats)}, stored as F32."""
    header, at = {}, 0
    for name, (shape, values) in tensors.items():
        header[name] = {"dtype": "F32", "shape": shape,
                        "data_offsets": [at, at + 4 * len(values)]}
        at += 4 * len(values)
    text = json.dumps(header).encode()
    data = b"".join(struct.pack(f"<{len(v)}f", *v) for _, v in tensors.values())
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
