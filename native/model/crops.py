"""What varies from crop to crop while training, on (batch, MELS, frames) log-mels: another speaker, another place, a lost band."""

from __future__ import annotations

import numpy as np
import torch

from features import HOP, MELS, RATE

FRAMES_A_SECOND = RATE / HOP


def other_speaker(x: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """Another vocal tract and microphone for each crop of (batch, MELS, frames): the mel axis is stretched (vocal tract
    length perturbation, Jaitly and Hinton 2013), a smooth response and a level are added."""
    batch, at = len(x), torch.arange(MELS).float()
    source = torch.empty(batch, 1).uniform_(0.86, 1.16) * at + torch.empty(batch, 1).uniform_(-1.0, 1.0)
    source = torch.where(torch.from_numpy(rng.random((batch, 1)) < 0.3), at.expand(batch, -1), source)
    source = source.clamp(0, MELS - 1.001)
    low = source.floor().long()
    mix = torch.zeros(batch, MELS, MELS)
    mix.scatter_(2, low[:, :, None], (1 - (source - low))[:, :, None])
    mix.scatter_(2, (low + 1)[:, :, None], (source - low)[:, :, None])
    phase = at / MELS * np.pi
    curve = sum(torch.empty(batch, 1).uniform_(-0.7, 0.7) / k * torch.cos(k * phase) for k in (1, 2, 3))
    return mix @ x + curve[:, :, None] + torch.empty(batch, 1, 1).uniform_(-1.5, 1.5)


def without_a_band(x: torch.Tensor, mean: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """SpecAugment (arXiv 1904.08779): in half of the crops a band of mels goes missing."""
    for i in np.flatnonzero(rng.random(len(x)) < 0.5):
        low = int(rng.integers(0, MELS - 6))
        x[i, low:low + int(rng.integers(1, 7))] = mean[low]
    return x


def other_place(x: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """Echoes in some crops and a noise floor in others, both as powers of the mel bands.

    An echoing place leaves in each band a tail that decays exponentially (60 dB in 0.2..1.4 s; Lebart, Boucher and Denbigh
    2001); it begins a frame or, behind loudspeakers, up to 80 ms after the sound. Noise is steady with a slope of its own.
    """
    power = x.exp()
    echoing, noisy = np.flatnonzero(rng.random(len(x)) < 0.3), np.flatnonzero(rng.random(len(x)) < 0.3)
    if len(echoing):
        direct = power[echoing]
        decay = torch.from_numpy(10.0 ** (-6.0 / (rng.uniform(0.2, 1.4, (len(echoing), 1)) * FRAMES_A_SECOND))).float()
        # Share of the tail's whole energy: the sum of the geometric series is taken out.
        share = torch.from_numpy(rng.uniform(0.05, 0.8, (len(echoing), 1))).float() * (1 - decay)
        late = 1 if rng.random() < 0.7 else int(rng.integers(2, 9))
        age = torch.arange(direct.shape[2])[None, :] - torch.arange(direct.shape[2])[:, None] - late
        tails = direct @ (decay[:, :, None] ** age.clamp(min=0) * (age >= 0))
        power[echoing] = direct + share[:, :, None] * tails
    if len(noisy):
        clean = power[noisy]
        loud = clean.mean(1).amax(1, keepdim=True)
        below = torch.from_numpy(rng.uniform(12.0, 45.0, (len(noisy), 1))).float()
        slope = torch.from_numpy(rng.uniform(-2.0, 0.7, (len(noisy), 1))).float() * torch.linspace(0, 1, MELS)
        floor = loud * 10.0 ** (-below / 10.0) * slope.exp()
        power[noisy] = clean + floor[:, :, None] * (0.45 * torch.randn(clean.shape)).exp()
    return power.log()
