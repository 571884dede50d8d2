"""Forced alignment with a net trained before: for languages that have no recogniser here.

espeak-ng says which phones a text has; Viterbi over the net's probabilities finds when each was spoken.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from espeak_source import Espeak
from export import load_trained
from features import HOP, RATE, WINDOW, log_mel
from net import LOOK_AHEAD
from phones import INDEX, Phone

_PAUSE_COST = 4.0   # Nats for a pause where espeak-ng made none.
_ALT_COST = 0.7     # Nats for an accepted alternative viseme.
_SHORTEST = 3       # Frames in each phone.
_WORST = -1.55      # Mean log probability of a frame below which text and recording do not belong together.


class NetAligner:
    def __init__(self, net: Path) -> None:
        self._net = load_trained(net)
        self._espeak = Espeak()

    def _log_probabilities(self, pcm: np.ndarray) -> np.ndarray:
        x = np.concatenate([pcm.astype(np.float32) / 32768.0, np.zeros(LOOK_AHEAD * HOP + WINDOW, np.float32)])
        with torch.no_grad():
            scores = self._net(torch.from_numpy(log_mel(x)).T[None])
        return torch.log_softmax(scores, 1)[0, :, LOOK_AHEAD:].T.numpy()

    def __call__(self, pcm: np.ndarray, text: str, voice: str) -> list[Phone] | None:
        """Phones of the recording, or None where the text does not fit it."""
        _, spoken = self._espeak.speak(text, voice)
        spoken = [p for p in spoken if p.viseme != "sil"]
        frames = self._log_probabilities(pcm)
        if len(spoken) < 3 or len(frames) < len(spoken) * _SHORTEST:
            return None
        # States: pause, then each phone as _SHORTEST states in a row followed by an optional pause.
        emission = [frames[:, 0]]
        for p in spoken:
            column = frames[:, INDEX[p.viseme]]
            for alt in p.alt:
                column = np.maximum(column, frames[:, INDEX[alt]] - _ALT_COST)
            column = np.maximum(column, -7.0)
            emission += [column] * _SHORTEST + [frames[:, 0]]
        scores = np.stack(emission, 1)
        states, per = scores.shape[1], _SHORTEST + 1
        index = np.arange(states)
        is_pause = index % per == 0
        is_first = index % per == 1
        stays = is_pause | (index % per == _SHORTEST)
        best = np.full(states, -np.inf)
        best[0], best[1] = scores[0, 0], scores[0, 1]
        back = np.zeros((len(scores), states), np.int8)  # How many states back the path came from.
        for t in range(1, len(scores)):
            stay = np.where(stays, best, -np.inf)
            step = np.concatenate(([-np.inf], best[:-1])) - np.where(is_pause, _PAUSE_COST, 0.0)
            skip = np.where(is_first, np.concatenate(([-np.inf] * 2, best[:-2])), -np.inf)
            options = np.stack([stay, step, skip])
            choice = options.argmax(0)
            best = options[choice, index] + scores[t]
            back[t] = choice
        state = states - 1 if best[-1] > best[-2] else states - 2
        if not np.isfinite(best[state]) or best[state] / len(scores) < _WORST:
            return None
        path = np.empty(len(scores), np.int64)
        for t in range(len(scores) - 1, -1, -1):
            path[t] = state
            state -= back[t, state]
        return self._phones(path, per, spoken, len(pcm) / RATE)

    @staticmethod
    def _phones(path: np.ndarray, per: int, spoken: list[Phone], duration: float) -> list[Phone]:
        unit = np.where(path % per == 0, -1 - path // per, (path - 1) // per)
        cuts = np.flatnonzero(np.diff(unit)) + 1
        # A boundary lies half a hop before the first frame of what follows.
        times = [0.0, *((WINDOW / 2 + HOP * (c - 0.5)) / RATE for c in cuts), duration]
        phones = []
        for first, start, end in zip([0, *cuts], times, times[1:]):
            u = unit[first]
            if u < 0:
                phones.append(Phone("sil", start, end, "sil"))
            else:
                phones.append(Phone(spoken[u].name, start, end, spoken[u].viseme, spoken[u].alt))
        return phones
