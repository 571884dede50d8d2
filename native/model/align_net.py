"""Forced alignment with a net trained before: for languages that have no recogniser here.

espeak-ng says which phones a text has; Viterbi over the net's probabilities finds when each was spoken. Constants were
chosen on voices whose times are known (espeak-ng, flite, Festival, PocketSphinx's alignments): starts of p, b and m are
then within 20 ms for 82 % of them, ends for 89 %.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from espeak_source import Espeak
from export import load_net
from features import HOP, RATE, WINDOW, log_mel
from net import LOOK_AHEAD
from phones import INDEX, VISEMES, Phone

_PAUSE_COST = 4.0   # Nats for a pause where espeak-ng made none.
_ALT_COST = 0.5     # Nats for an accepted alternative viseme.
_FLOOR = -7.0       # Nats below which no frame's log probability counts.
_WORST = -1.55      # Mean log probability of a frame below which text and recording do not belong together.
# Frames that a phone lasts at least: closures and vowels are not shorter, and a lone likely frame is not yet a phone.
_SHORTEST = {**dict.fromkeys(VISEMES, 3), **dict.fromkeys(("aa", "E", "I", "O", "U", "FF", "SS", "CH"), 4), "PP": 5}
# Percent of frames of each viseme in ordinary speech: frequent ones are divided by a part of their share.
_SHARES = dict(zip(VISEMES, (10.8, 8.0, 3.3, 0.8, 6.8, 4.0, 3.2, 7.2, 9.0, 5.2, 13.7, 7.4, 10.8, 6.1, 3.6)))
_SHARE_POWER = 0.3
# A closure's start is moved to where the sound falls off most: this far, and that many nats less for the whole way.
_REACH, _REACH_COST, _LEAST_FALL = 0.025, 1.0, 0.5
_LEVEL_HOP, _LEVEL_WINDOW, _LEVEL_FRAMES = 80, 240, 3  # Samples, samples, and frames compared on either side.
_BAND_EDGES = (3, 6, 10, 16, 26, 40, 64, 120)          # Of 256 Fourier bins at 16 kHz, from 190 Hz: voicing stays.


def _falls(pcm: np.ndarray) -> np.ndarray:
    """How much the level (ln, mean of bands above voicing) falls at each multiple of _LEVEL_HOP samples."""
    x = np.concatenate([np.zeros(_LEVEL_WINDOW // 2, np.float32), pcm.astype(np.float32) / 32768.0,
                        np.zeros(_LEVEL_WINDOW, np.float32)])
    frames = np.lib.stride_tricks.sliding_window_view(x, _LEVEL_WINDOW)[::_LEVEL_HOP]
    power = np.abs(np.fft.rfft(frames * np.hanning(_LEVEL_WINDOW).astype(np.float32), 256)) ** 2
    bands = zip(_BAND_EDGES, _BAND_EDGES[1:])
    level = np.mean([np.log(power[:, a:b].sum(1) + 1e-4) for a, b in bands], axis=0)
    total = np.concatenate(([0.0], np.cumsum(level)))
    i, n = np.arange(len(level)), len(level)
    after, before = np.minimum(i + _LEVEL_FRAMES + 1, n), np.maximum(i - _LEVEL_FRAMES, 0)
    here, past = np.minimum(i + 1, n), i
    return ((total[past] - total[before]) / np.maximum(past - before, 1)
            - (total[after] - total[here]) / np.maximum(after - here, 1))


def sharpen_closures(pcm: np.ndarray, phones: list[Phone]) -> None:
    """Moves the starts of p, b and m, where speech goes before, to the steepest fall nearby."""
    falls, rate = _falls(pcm), RATE / _LEVEL_HOP
    for before, closure in zip(phones, phones[1:]):
        if closure.viseme != "PP" or before.viseme == "PP":
            continue
        first = max(1, int(max(closure.start - _REACH, before.start + 0.015) * rate))
        last = min(len(falls) - 1, int(min(closure.start + _REACH, closure.end - 0.015) * rate))
        at = np.arange(first, last + 1)
        if len(at) > 1:
            worth = falls[at] - _REACH_COST * np.abs(at / rate - closure.start) / _REACH
            if worth.max() > _LEAST_FALL:
                before.end = closure.start = float(at[worth.argmax()] / rate)


class NetAligner:
    """Holds a trained net (.vvn) and espeak-ng; recordings are int16 mono at 16 kHz."""

    def __init__(self, net: Path) -> None:
        self._net = load_net(net)
        self._espeak = Espeak()

    def _log_probabilities(self, pcm: np.ndarray) -> np.ndarray:
        x = np.concatenate([pcm.astype(np.float32) / 32768.0, np.zeros(LOOK_AHEAD * HOP + WINDOW, np.float32)])
        with torch.no_grad():
            scores = self._net(torch.from_numpy(log_mel(x)).T[None])
        return torch.log_softmax(scores, 1)[0, :, LOOK_AHEAD:].T.numpy()

    def __call__(self, pcm: np.ndarray, text: str, voice: str) -> list[Phone] | None:
        """Phones of the recording, or None where the text does not fit it."""
        found = self.align(pcm, text, voice)
        return found and found[0]

    def align(self, pcm: np.ndarray, text: str, voice: str,
              worst: float = _WORST) -> tuple[list[Phone], float] | None:
        """Phones of the recording and how well they fit: the mean over phones of a frame's log probability. None where
        the mean over frames is below `worst` nats."""
        _, spoken = self._espeak.speak(text, voice)
        # A palatalised consonant is one phone in people's mouths, whatever espeak-ng makes of it.
        spoken = [p for p in spoken if p.viseme != "sil" and p.name != "ʲ"]
        frames = self._log_probabilities(pcm)
        if len(spoken) < 3 or len(frames) < sum(_SHORTEST[p.viseme] for p in spoken):
            return None
        scores, states = self._states(frames, spoken)
        path = self._best_path(scores, states)
        if path is None:
            return None
        unit = states[path]
        inside = unit >= 0
        emission = np.maximum(self._emission(frames, spoken), _FLOOR)
        raw = np.where(inside, emission[np.arange(len(unit)), np.maximum(unit, 0)], frames[:, 0])
        if raw.mean() < worst:
            return None
        counts = np.bincount(unit[inside], minlength=len(spoken))
        fit = np.bincount(unit[inside], raw[inside], minlength=len(spoken)) / np.maximum(counts, 1)
        phones = self._phones(unit, spoken, len(pcm) / RATE)
        sharpen_closures(pcm, phones)
        return phones, float(fit.mean())

    @staticmethod
    def _emission(frames: np.ndarray, spoken: list[Phone]) -> np.ndarray:
        """(frames, phones): how likely each frame is each phone, by its viseme or an alternative."""
        columns = []
        for p in spoken:
            column = frames[:, INDEX[p.viseme]]
            for alt in p.alt:
                column = np.maximum(column, frames[:, INDEX[alt]] - _ALT_COST)
            columns.append(column)
        return np.stack(columns, 1)

    @classmethod
    def _states(cls, frames: np.ndarray, spoken: list[Phone]) -> tuple[np.ndarray, np.ndarray]:
        """Scores (frames, states) and each state's phone: a pause (negative), then each phone as its shortest number of
        states in a row followed by an optional pause."""
        shares = np.array([_SHARES[v] for v in VISEMES])
        scaled = frames - _SHARE_POWER * np.log(shares / shares.sum())
        phones = np.maximum(cls._emission(scaled, spoken), _FLOOR)
        columns, unit = [scaled[:, 0]], [-1]
        for u, p in enumerate(spoken):
            columns += [phones[:, u]] * _SHORTEST[p.viseme] + [scaled[:, 0]]
            unit += [u] * _SHORTEST[p.viseme] + [-2 - u]
        return np.stack(columns, 1), np.array(unit)

    @staticmethod
    def _best_path(scores: np.ndarray, unit: np.ndarray) -> np.ndarray | None:
        """The likeliest state of each frame; None where the recording is too short for the states."""
        index = np.arange(len(unit))
        is_pause = unit < 0
        is_first = ~is_pause & (np.concatenate(([-1], unit[:-1])) < 0)
        stays = is_pause | np.concatenate((unit[1:] < 0, [True]))
        best = np.full(len(unit), -np.inf)
        best[:2] = scores[0, :2]
        back = np.zeros(scores.shape, np.int8)  # How many states back the path came from.
        cost = np.where(is_pause, _PAUSE_COST, 0.0)
        for t in range(1, len(scores)):
            stay = np.where(stays, best, -np.inf)
            step = np.concatenate(([-np.inf], best[:-1])) - cost
            skip = np.where(is_first, np.concatenate(([-np.inf] * 2, best[:-2])), -np.inf)
            options = np.stack([stay, step, skip])
            choice = options.argmax(0)
            best = options[choice, index] + scores[t]
            back[t] = choice
        state = len(unit) - (1 if best[-1] > best[-2] else 2)
        if not np.isfinite(best[state]):
            return None
        path = np.empty(len(scores), np.int64)
        for t in range(len(scores) - 1, -1, -1):
            path[t] = state
            state -= int(back[t, state])
        return path

    @staticmethod
    def _phones(unit: np.ndarray, spoken: list[Phone], duration: float) -> list[Phone]:
        cuts = np.flatnonzero(np.diff(unit)) + 1
        # A boundary lies half a hop before the first frame of what follows.
        times = [0.0, *(float((WINDOW / 2 + HOP * (c - 0.5)) / RATE) for c in cuts), duration]
        phones = []
        for first, start, end in zip([0, *cuts], times, times[1:]):
            u = unit[first]
            if u < 0:
                phones.append(Phone("sil", start, end, "sil"))
            else:
                phones.append(Phone(spoken[u].name, start, end, spoken[u].viseme, spoken[u].alt))
        return phones
