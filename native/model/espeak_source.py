"""Speech from espeak-ng with exact phone times, through libespeak-ng's phoneme events."""

from __future__ import annotations

import ctypes as C

import numpy as np
from scipy.signal import resample_poly

from phones import Phone, borrow_vowels, ipa_viseme

_SYNCHRONOUS = 2
_PHONEME_EVENTS, _PHONEME_IPA, _DONT_EXIT = 1, 2, 0x8000
_EVENT_PHONEME = 7
_RATE, _PITCH, _RANGE = 1, 3, 4
_CHARS_UTF8 = 1


class _Id(C.Union):
    _fields_ = [("number", C.c_int), ("name", C.c_char_p), ("string", C.c_char * 8)]


class _Event(C.Structure):
    _fields_ = [
        ("type", C.c_int), ("unique_identifier", C.c_uint), ("text_position", C.c_int), ("length", C.c_int),
        ("audio_position", C.c_int), ("sample", C.c_int), ("user_data", C.c_void_p), ("id", _Id),
    ]


_Callback = C.CFUNCTYPE(C.c_int, C.POINTER(C.c_short), C.c_int, C.POINTER(_Event))


class Espeak:
    """One process-wide synthesiser (the library keeps global state)."""

    def __init__(self) -> None:
        self._lib = C.CDLL("libespeak-ng.so.1")
        self._lib.espeak_Synth.argtypes = [C.c_char_p, C.c_size_t, C.c_uint, C.c_int, C.c_uint, C.c_uint,
                                           C.c_void_p, C.c_void_p]
        self.rate = self._lib.espeak_Initialize(_SYNCHRONOUS, 0, None, _PHONEME_EVENTS | _PHONEME_IPA | _DONT_EXIT)
        if self.rate <= 0:
            raise RuntimeError("espeak-ng did not initialise")
        self._callback = _Callback(self._on_audio)
        self._lib.espeak_SetSynthCallback(self._callback)
        self._chunks: list[np.ndarray] = []
        self._events: list[tuple[int, str]] = []

    def _on_audio(self, samples, count, events) -> int:
        if samples and count > 0:
            self._chunks.append(np.ctypeslib.as_array(samples, (count,)).copy())
        i = 0
        while events[i].type != 0:
            if events[i].type == _EVENT_PHONEME:
                # The union's bytes: a name of eight bytes has no terminator, and ctypes stops at the first zero.
                raw = bytes(C.string_at(C.addressof(events[i].id), 8)).split(b"\0")[0]
                self._events.append((events[i].sample, raw.decode("utf-8", "ignore")))
            i += 1
        return 0

    def speak(self, text: str, voice: str, rate_wpm: int = 175, pitch: int = 50,
              pitch_range: int = 50) -> tuple[np.ndarray, list[Phone]]:
        """Returns int16 mono at 16 kHz and its phones; ValueError for an unknown voice."""
        self._chunks, self._events = [], []
        if self._lib.espeak_SetVoiceByName(voice.encode()) != 0:
            raise ValueError(f"espeak-ng has no voice {voice}")
        for parameter, value in ((_RATE, rate_wpm), (_PITCH, pitch), (_RANGE, pitch_range)):
            self._lib.espeak_SetParameter(parameter, value, 0)
        data = text.encode() + b"\0"
        self._lib.espeak_Synth(data, len(data), 0, 1, 0, _CHARS_UTF8, None, None)
        self._lib.espeak_Synchronize()
        if not self._chunks:
            return np.zeros(0, np.int16), []
        pcm = np.concatenate(self._chunks)
        phones = self._phones(pcm, voice.split("-")[0].split("+")[0])
        up, down = 320, 441
        if self.rate != 22050:
            raise RuntimeError(f"unexpected rate {self.rate}")
        return np.clip(resample_poly(pcm.astype(np.float64), up, down), -32768, 32767).astype(np.int16), phones

    def _phones(self, pcm: np.ndarray, language: str) -> list[Phone]:
        events = self._events
        starts = [min(sample, len(pcm)) for sample, _ in events] + [len(pcm)]
        phones, borrows = [], []
        if starts[0] > 0:
            phones.append(Phone("", 0.0, starts[0] / self.rate, "sil"))
            borrows.append(False)
        for (_, name), start, end in zip(events, starts, starts[1:]):
            if end <= start:
                continue
            viseme, alt, borrow = ipa_viseme(name, language)
            if name == "ʲ":  # Palatalisation as a phone of its own: a short i.
                viseme = "I"
            if viseme == "sil" and name and phones:  # A glottal stop inside a word keeps the mouth before it.
                viseme = phones[-1].viseme
            phones.append(Phone(name, start / self.rate, end / self.rate, viseme, alt))
            borrows.append(borrow)
        borrow_vowels(phones, borrows)
        self._closures(pcm, phones)
        return phones

    def _closures(self, pcm: np.ndarray, phones: list[Phone]) -> None:
        """Moves a plosive's start back over the silent closure that espeak-ng places before its event."""
        step = self.rate // 500
        level = np.abs(pcm[: len(pcm) // step * step].reshape(-1, step)).max(1)
        for before, phone in zip(phones, phones[1:]):
            if phone.name[:1] not in tuple("pbtdkɡgcʈɖqɟ") or before.viseme == "sil":
                continue
            first = max(int(before.start * 500) + 1, int(phone.start * 500) - 60)
            i = int(phone.start * 500)
            quiet = max(40.0, 0.1 * level[first:i].max(initial=0))
            while i > first and level[i - 1] < quiet:
                i -= 1
            if i / 500 < phone.start:
                before.end = phone.start = max(i / 500, before.start + 0.002)
