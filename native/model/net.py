"""The viseme net: causal dilated convolutions over log-mel frames, 15 class scores a frame."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from features import MELS

CLASSES = 15
LOOK_AHEAD = 4  # Output i speaks of frame i - 4: with half a window that is 52.5 ms of audio after the instant.


class Causal(nn.Module):
    """Convolution over time that sees only the past (zeros before the start), then batch normalisation."""

    def __init__(self, inputs: int, outputs: int, taps: int, dilation: int = 1) -> None:
        super().__init__()
        self.past = (taps - 1) * dilation
        self.conv = nn.Conv1d(inputs, outputs, taps, dilation=dilation, bias=False)
        self.norm = nn.BatchNorm1d(outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.conv(F.pad(x, (self.past, 0))))

    def folded(self) -> tuple[torch.Tensor, torch.Tensor, int]:
        """Weights (outputs, inputs, taps), bias and dilation with the normalisation folded in."""
        scale = self.norm.weight / torch.sqrt(self.norm.running_var + self.norm.eps)
        weight = self.conv.weight * scale[:, None, None]
        return weight.detach(), (self.norm.bias - self.norm.running_mean * scale).detach(), self.conv.dilation[0]


class Block(nn.Module):
    def __init__(self, channels: int, dilation: int, dropout: float) -> None:
        super().__init__()
        self.wide = Causal(channels, channels, 3, dilation)
        self.point = Causal(channels, channels, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(x + self.point(self.dropout(F.relu(self.wide(x)))))


class VisemeNet(nn.Module):
    """(batch, MELS, frames) log-mel → (batch, CLASSES, frames) logits, delayed by LOOK_AHEAD frames."""

    def __init__(self, channels: int, dilations: tuple[int, ...], mean: torch.Tensor, scale: torch.Tensor,
                 dropout: float = 0.05) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)
        self.first = Causal(MELS, channels, 3)
        self.blocks = nn.ModuleList(Block(channels, d, dropout) for d in dilations)
        self.last = nn.Conv1d(channels, CLASSES, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.first((x - self.mean[:, None]) * self.scale[:, None]))
        for block in self.blocks:
            x = block(x)
        return self.last(x)
