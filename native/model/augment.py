"""Degradations a microphone, a room or a codec adds, none of which moves the mouth."""

from __future__ import annotations

import numpy as np
from scipy.signal import butter, fftconvolve, lfilter, resample_poly

from features import RATE


def coloured_noise(n: int, rng: np.random.Generator) -> np.ndarray:
    """Unit-RMS noise with a spectral slope between white and brown, sometimes slowly swelling."""
    spectrum = np.fft.rfft(rng.standard_normal(n))
    slope = rng.uniform(0.0, 1.0)
    spectrum /= np.maximum(np.arange(len(spectrum)), 1.0 + n / 2000) ** slope
    noise = np.fft.irfft(spectrum, n)
    if rng.random() < 0.3:
        noise *= 1.0 + 0.8 * np.sin(2 * np.pi * rng.uniform(0.2, 3.0) * np.arange(n) / RATE)
    return noise / (np.sqrt(np.mean(noise ** 2)) + 1e-9)


def hum(n: int, rng: np.random.Generator) -> np.ndarray:
    t = np.arange(n) / RATE
    base = rng.choice((50.0, 60.0, rng.uniform(80.0, 400.0)))
    tone = sum(rng.uniform(0.1, 1.0) * np.sin(2 * np.pi * base * k * t + rng.uniform(0, 6.28)) for k in range(1, 5))
    return tone / (np.sqrt(np.mean(tone ** 2)) + 1e-9)


def room(pcm: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A direct path with an exponentially decaying tail (60 dB in 0.1..0.5 s); timing stays with the direct path."""
    decay = rng.uniform(0.1, 0.5)
    n = int(decay * RATE)
    tail = rng.standard_normal(n) * 10.0 ** (-3.0 * np.arange(n) / n)
    tail[: int(0.002 * RATE)] = 0.0
    tail *= rng.uniform(0.1, 0.7) / (np.sqrt(np.sum(tail ** 2)) + 1e-9)
    tail[0] = 1.0
    return fftconvolve(pcm, tail)[: len(pcm)]


def warp_speed(pcm: np.ndarray, factor: float) -> np.ndarray:
    """Plays faster by `factor`, raising pitch and formants with it."""
    up = 100
    return resample_poly(pcm, up, int(round(up * factor)))


def degrade(pcm: np.ndarray, rng: np.random.Generator, strength: float = 1.0) -> np.ndarray:
    """One random chain of degradations of samples in -1..1; the length and the timing stay."""
    x = pcm.astype(np.float64)
    if rng.random() < 0.35 * strength:
        x = room(x, rng)
    if rng.random() < 0.4 * strength:  # Spectral tilt of a microphone.
        a = rng.uniform(-0.6, 0.6)
        x = lfilter([1.0, a], [1.0 + abs(a)], x)
    if rng.random() < 0.3 * strength:
        high = rng.uniform(2800.0, 7000.0)
        b, a = butter(4, high / (RATE / 2))
        x = lfilter(b, a, x)
    if rng.random() < 0.2 * strength:
        b, a = butter(2, rng.uniform(80.0, 350.0) / (RATE / 2), "high")
        x = lfilter(b, a, x)
    level = np.sqrt(np.mean(x ** 2)) + 1e-9
    target = 10.0 ** (rng.uniform(-38.0, -14.0) / 20.0) if rng.random() < 0.7 else level
    x *= target / level
    if rng.random() < 0.6 * strength:
        snr = rng.uniform(8.0, 40.0)
        noise = coloured_noise(len(x), rng) if rng.random() < 0.8 else hum(len(x), rng)
        x += noise * target * 10.0 ** (-snr / 20.0)
    if rng.random() < 0.1 * strength:  # mu-law companding, 8 bits.
        y = np.clip(x, -1, 1)
        y = np.sign(y) * np.log1p(255 * np.abs(y)) / np.log(256)
        y = np.round(y * 127) / 127
        x = np.sign(y) * (256 ** np.abs(y) - 1) / 255
    return np.clip(x, -1.0, 1.0).astype(np.float32)
