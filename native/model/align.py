"""Forced alignment of English recordings with PocketSphinx: words first (which pronunciation, where pauses), then phones.

The phone pass treats each phone as a word of its own in a chain grammar, so that the decoder reports its times.
"""

from __future__ import annotations

import ctypes as C
import re
from pathlib import Path

import numpy as np

from phones import Phone, arpabet_viseme, borrow_vowels

MODEL = Path("/usr/share/pocketsphinx/model/en-us/en-us")
DICTIONARY = Path("/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict")
FRAME = 0.010
_PHONES = ("AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH").split()


def pronunciations() -> dict[str, list[str]]:
    """Word, or word(2).., to its phones."""
    table = {}
    for line in DICTIONARY.read_text().splitlines():
        word, *phones = line.split()
        table[word] = phones
    return table


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z]+(?:'[a-z]+)*", text.lower().replace("’", "'"))


class _Decoder:
    def __init__(self, dictionary: Path, fillers: bool) -> None:
        C.CDLL("libsphinxbase.so.3", mode=C.RTLD_GLOBAL)
        self._lib = lib = C.CDLL("libpocketsphinx.so.3")
        base = C.CDLL("libsphinxbase.so.3")
        for owner, name in ((base, "cmd_ln_init"), (lib, "ps_args"), (lib, "ps_init"), (lib, "ps_seg_iter"),
                            (lib, "ps_seg_next")):
            getattr(owner, name).restype = C.c_void_p
        lib.ps_seg_word.restype = C.c_char_p
        arguments = ["-hmm", MODEL, "-dict", dictionary, "-logfn", "/dev/null", "-beam", "1e-100", "-pbeam", "1e-100",
                     "-wbeam", "1e-80", "-fsgusefiller", "yes" if fillers else "no", "-cmn", "batch",
                     "-remove_silence", "no", "-remove_noise", "no"]
        values = [C.c_char_p(str(a).encode()) for a in arguments]
        base.cmd_ln_init.argtypes = None
        config = base.cmd_ln_init(C.c_void_p(None), C.c_void_p(lib.ps_args()), C.c_int(1), *values, C.c_void_p(None))
        self._ps = C.c_void_p(lib.ps_init(C.c_void_p(config)))
        if not self._ps:
            raise RuntimeError("PocketSphinx did not initialise")

    def align(self, pcm: np.ndarray, grammar: str) -> list[tuple[str, float, float]]:
        """Segments of the best path, or an empty list where the recording does not fit the grammar."""
        lib, ps = self._lib, self._ps
        jsgf = f"#JSGF V1.0; grammar g; public <s> = {grammar};"
        if lib.ps_set_jsgf_string(ps, b"g", jsgf.encode()) != 0 or lib.ps_set_search(ps, b"g") != 0:
            return []
        pcm = np.ascontiguousarray(pcm, np.int16)
        lib.ps_start_utt(ps)
        lib.ps_process_raw(ps, pcm.ctypes.data_as(C.c_void_p), C.c_size_t(len(pcm)), 0, 1)
        lib.ps_end_utt(ps)
        segments, first, last = [], C.c_int(), C.c_int()
        segment = lib.ps_seg_iter(ps)
        while segment:
            lib.ps_seg_frames(C.c_void_p(segment), C.byref(first), C.byref(last))
            word = lib.ps_seg_word(C.c_void_p(segment)).decode()
            if last.value >= first.value and word != "(NULL)":
                segments.append((word, first.value * FRAME, (last.value + 1) * FRAME))
            segment = lib.ps_seg_next(C.c_void_p(segment))
        return segments


class Aligner:
    def __init__(self, scratch: Path) -> None:
        self.table = pronunciations()
        phone_dictionary = scratch / "phones.dict"
        phone_dictionary.write_text("".join(f"p{p.lower()} {p}\n" for p in _PHONES) + "pause SIL\n")
        self._words = _Decoder(DICTIONARY, True)
        self._phones = _Decoder(phone_dictionary, False)

    def __call__(self, pcm: np.ndarray, text: str) -> list[Phone] | None:
        """Phones of the recording, or None where a word is unknown or no alignment was found."""
        words = words_of(text)
        if not words or any(w not in self.table for w in words):
            return None
        path = [w for w, _, _ in self._words.align(pcm, " ".join(words))]
        if [re.sub(r"\(\d+\)", "", w) for w in path if not w.startswith(("<", "["))] != words:
            return None
        chain = ["[pause]"]
        for word in path:
            if word.startswith(("<", "[")):
                continue
            chain += [f"p{p.lower()}" for p in self.table[word]] + ["[pause]"]
        segments = self._phones.align(pcm, " ".join(chain))
        if len([s for s in segments if s[0].startswith("p") and s[0] != "pause"]) != sum(c[0] == "p" for c in chain):
            return None
        phones, borrows = [], []
        for name, start, end in segments:
            viseme, alt, borrow = arpabet_viseme("sil" if name in ("pause", "<sil>") else name[1:])
            phones.append(Phone(name[1:] if name != "pause" else "sil", start, end, viseme, alt))
            borrows.append(borrow)
        borrow_vowels(phones, borrows)
        return phones
