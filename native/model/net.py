"""The viseme net: causal dilated convolutions over log-mel frames, 15 class scores a frame."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from features import MELS

CLASSES = 15
LOOK_AHEAD = 4  # Output i speaks of frame i - 4: with half a window that is 52.5 ms of audio after the instant.
TAPS = 3


class Causal(nn.Module):
    """Convolution over time that sees only the past (zeros before the start): (batch, frames, channels) to the same.

    One matrix product a layer: on a processor twice as fast to train as Conv1d.
    """

    def __init__(self, inputs: int, outputs: int, taps: int, dilation: int = 1) -> None:
        super().__init__()
        self.taps, self.dilation = taps, dilation
        self.product = nn.Linear(taps * inputs, outputs)
        nn.init.kaiming_normal_(self.product.weight, nonlinearity="relu")
        nn.init.zeros_(self.product.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        frames = x.shape[1]
        if self.taps > 1:
            padded = F.pad(x, (0, 0, (self.taps - 1) * self.dilation, 0))
            x = torch.cat([padded[:, k * self.dilation:k * self.dilation + frames] for k in range(self.taps)], -1)
        return self.product(x)

    def kernel(self) -> torch.Tensor:
        """(taps, inputs, outputs), tap 0 oldest: a view, so that writing to it writes the layer."""
        return self.product.weight.data.view(self.product.out_features, self.taps, -1).permute(1, 2, 0)


class Block(nn.Module):
    """x + point(relu(wide(x))), then relu. It starts as the identity (SkipInit: De and Smith, arXiv 2002.10444), which is
    why the net trains without normalisation and why a trained net may be given further blocks."""

    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.wide = Causal(channels, channels, TAPS, dilation)
        self.point = Causal(channels, channels, 1)
        nn.init.zeros_(self.point.product.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(x + self.point(F.relu(self.wide(x))))


class VisemeNet(nn.Module):
    """(batch, MELS, frames) log-mel → (batch, CLASSES, frames) logits, delayed by LOOK_AHEAD frames."""

    def __init__(self, channels: int, dilations: tuple[int, ...], mean: torch.Tensor, scale: torch.Tensor) -> None:
        super().__init__()
        self.channels, self.dilations = channels, tuple(dilations)
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)
        self.first = Causal(MELS, channels, TAPS)
        self.blocks = nn.ModuleList(Block(channels, d) for d in dilations)
        self.last = Causal(channels, CLASSES, 1)

    def layers(self) -> list[Causal]:
        """Every convolution in the order of the file."""
        return [self.first, *(layer for block in self.blocks for layer in (block.wide, block.point)), self.last]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = (x.transpose(1, 2) - self.mean) * self.scale
        x = F.relu(self.first(x))
        for block in self.blocks:
            x = block(x)
        return self.last(x).transpose(1, 2)


def grown(net: VisemeNet, channels: int, dilations: tuple[int, ...]) -> VisemeNet:
    """A larger net that computes the same (Net2Net: Chen, Goodfellow and Shlens, arXiv 1511.05641): new channels are heard
    by nobody yet and new blocks, at the end, add nothing.

    ValueError where the net would have to shrink.
    """
    if channels < net.channels or tuple(dilations[:len(net.dilations)]) != net.dilations:
        raise ValueError(f"{net.channels} channels of dilations {net.dilations} do not fit into that net")
    larger = VisemeNet(channels, dilations, net.mean, net.scale)
    for old, new in [(net.first, larger.first), (net.last, larger.last),
                     *((getattr(a, name), getattr(b, name)) for a, b in zip(net.blocks, larger.blocks)
                       for name in ("wide", "point"))]:
        _, inputs, outputs = old.kernel().shape
        if new is not larger.first:
            new.kernel()[:, inputs:, :outputs] = 0.0
        if new in [block.point for block in larger.blocks]:
            new.kernel()[:, :, outputs:] = 0.0
        new.kernel()[:, :inputs, :outputs] = old.kernel()
        new.product.bias.data[:outputs] = old.product.bias.data
    return larger
