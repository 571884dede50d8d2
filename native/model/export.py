"""visemes.vvn: little endian, half-precision weights, a checksum; see native/src/speech/weights.h.

Layout: header, mean and scale of each mel, then each layer as shape, bias (float32) and weights (float16, [tap][input][output],
tap 0 oldest).
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import torch

from features import FFT, FLOOR, HIGH_HZ, HOP, LOW_HZ, MELS, RATE, WINDOW
from net import CLASSES, LOOK_AHEAD, VisemeNet

MAGIC, VERSION = b"VVNT", 1
_HEADER = struct.Struct("<7I3f")
_SETTINGS = (RATE, WINDOW, HOP, FFT, MELS, CLASSES, LOOK_AHEAD, LOW_HZ, HIGH_HZ, FLOOR)


def export(net: VisemeNet, path: Path) -> None:
    body = _HEADER.pack(*_SETTINGS)
    body += net.mean.numpy().astype("<f4").tobytes() + net.scale.numpy().astype("<f4").tobytes()
    body += struct.pack("<I", len(net.layers()))
    for layer in net.layers():
        taps, inputs, outputs = layer.kernel().shape
        body += struct.pack("<4I", inputs, outputs, taps, layer.dilation)
        body += layer.product.bias.detach().numpy().astype("<f4").tobytes()
        body += np.ascontiguousarray(layer.kernel().numpy()).astype("<f2").tobytes()
    path.write_bytes(MAGIC + struct.pack("<3I", VERSION, len(body), zlib.crc32(body)) + body)


def load_net(path: Path) -> VisemeNet:
    """The net as the file holds it: weights in half precision, arithmetic in single. ValueError for another file."""
    data = path.read_bytes()
    version, length, checksum = struct.unpack_from("<3I", data, 4)
    body = data[16:]
    if data[:4] != MAGIC or version != VERSION or len(body) != length or zlib.crc32(body) != checksum:
        raise ValueError(f"{path} is no viseme net of version {VERSION}")
    if not np.allclose(_HEADER.unpack_from(body), _SETTINGS):
        raise ValueError(f"{path} was made for other features")
    at = _HEADER.size

    def floats(count: int, kind: str = "<f4") -> torch.Tensor:
        nonlocal at
        values = np.frombuffer(body, kind, count, at).astype(np.float32)
        at += count * np.dtype(kind).itemsize
        return torch.from_numpy(values)

    mean, scale = floats(MELS), floats(MELS)
    (count,) = struct.unpack_from("<I", body, at)
    at += 4
    layers = []
    for _ in range(count):
        inputs, outputs, taps, dilation = struct.unpack_from("<4I", body, at)
        at += 16
        bias = floats(outputs)
        layers.append((floats(taps * inputs * outputs, "<f2").view(taps, inputs, outputs), bias, dilation))
    net = VisemeNet(layers[0][0].shape[2], tuple(dilation for _, _, dilation in layers[1:-1:2]), mean, scale)
    for layer, (kernel, bias, _) in zip(net.layers(), layers):
        layer.kernel().copy_(kernel)
        layer.product.bias.data.copy_(bias)
    return net.eval()
