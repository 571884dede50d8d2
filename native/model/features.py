"""Log-mel features: the exact arithmetic that native/src/speech/log_mel.cc repeats.

Frame i covers samples 160 i .. 160 i + 399 (25 ms window every 10 ms, 16 kHz); a clip of n samples has
1 + (n - 400) // 160 whole frames. 40 triangular HTK mel filters over 60..7600 Hz of a 512-point power spectrum of the
Hann-windowed frame, then ln(x + FLOOR).
"""

from __future__ import annotations

import numpy as np

RATE, HOP, WINDOW, FFT, MELS = 16000, 160, 400, 512, 40
LOW_HZ, HIGH_HZ = 60.0, 7600.0
FLOOR = 1e-5


def hann() -> np.ndarray:
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)


def mel_filters() -> np.ndarray:
    """(MELS, FFT // 2 + 1) triangles whose peaks are 1."""
    def mel(hz):
        return 2595.0 * np.log10(1.0 + hz / 700.0)
    edges = 700.0 * (10.0 ** (np.linspace(mel(LOW_HZ), mel(HIGH_HZ), MELS + 2) / 2595.0) - 1.0)
    hz = np.arange(FFT // 2 + 1) * RATE / FFT
    rising = (hz[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - hz[None]) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0.0, np.minimum(rising, falling))


_HANN = hann().astype(np.float32)
_FILTERS = mel_filters().astype(np.float32)


def log_mel(pcm: np.ndarray) -> np.ndarray:
    """(frames, MELS) float32 of samples in -1..1."""
    pcm = np.ascontiguousarray(pcm, np.float32)
    if len(pcm) < WINDOW:
        return np.zeros((0, MELS), np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(pcm, WINDOW)[::HOP]
    out = np.empty((len(frames), MELS), np.float32)
    for at in range(0, len(frames), 4096):
        spectrum = np.fft.rfft(frames[at:at + 4096] * _HANN, FFT)
        power = (spectrum.real ** 2 + spectrum.imag ** 2).astype(np.float32)
        out[at:at + 4096] = np.log(power @ _FILTERS.T + FLOOR)
    return out
