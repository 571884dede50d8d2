"""Writes the net as visemes.vvn: little endian, half-precision weights, a checksum; see native/src/speech/weights.h."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import torch

from features import FFT, FLOOR, HIGH_HZ, HOP, LOW_HZ, MELS, RATE, WINDOW
from net import CLASSES, LOOK_AHEAD, VisemeNet

MAGIC, VERSION = b"VVNT", 1


def round_to_half(net: VisemeNet) -> list[tuple[np.ndarray, np.ndarray, int]]:
    """The folded layers in order, weights rounded to half precision as the file stores them."""
    layers = [net.first.folded()]
    for block in net.blocks:
        layers += [block.wide.folded(), block.point.folded()]
    layers.append((net.last.weight.detach(), net.last.bias.detach(), 1))
    return [(w.numpy().astype(np.float16), b.numpy().astype(np.float32), d) for w, b, d in layers]


def export(net: VisemeNet, path: Path) -> None:
    """Layout: header, mean and scale of each mel, then each layer as shape, bias (float32) and weights (float16,
    [tap][input][output], tap 0 oldest)."""
    body = struct.pack("<7I3f", RATE, WINDOW, HOP, FFT, MELS, CLASSES, LOOK_AHEAD, LOW_HZ, HIGH_HZ, FLOOR)
    body += net.mean.numpy().astype("<f4").tobytes() + net.scale.numpy().astype("<f4").tobytes()
    layers = round_to_half(net)
    body += struct.pack("<I", len(layers))
    for weight, bias, dilation in layers:
        outputs, inputs, taps = weight.shape
        body += struct.pack("<4I", inputs, outputs, taps, dilation) + bias.astype("<f4").tobytes()
        body += np.ascontiguousarray(weight.transpose(2, 1, 0)).astype("<f2").tobytes()
    path.write_bytes(MAGIC + struct.pack("<3I", VERSION, len(body), zlib.crc32(body)) + body)


def load_trained(path: Path) -> VisemeNet:
    """The trained net of a .pt file with its weights rounded as export() rounds them."""
    saved = torch.load(path)
    net = VisemeNet(saved["channels"], tuple(map(int, saved["dilations"].split(","))), torch.zeros(MELS),
                    torch.ones(MELS))
    net.load_state_dict(saved["state"])
    net.eval()
    return net


def with_half_weights(net: VisemeNet) -> torch.nn.Module:
    """The same net as the file holds it: normalisation folded, weights in half precision, arithmetic in single."""
    convs = []
    for (weight, bias, dilation) in round_to_half(net):
        conv = torch.nn.Conv1d(weight.shape[1], weight.shape[0], weight.shape[2], dilation=dilation)
        conv.weight.data = torch.from_numpy(weight.astype(np.float32))
        conv.bias.data = torch.from_numpy(bias.copy())
        convs.append(conv)

    class Folded(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            def run(conv, y):
                past = (conv.kernel_size[0] - 1) * conv.dilation[0]
                return conv(torch.nn.functional.pad(y, (past, 0)))
            x = torch.relu(run(convs[0], (x - net.mean[:, None]) * net.scale[:, None]))
            for wide, point in zip(convs[1:-1:2], convs[2:-1:2]):
                x = torch.relu(x + run(point, torch.relu(run(wide, x))))
            return run(convs[-1], x)

    return Folded().eval()
