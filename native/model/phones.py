"""Phones of every label source, mapped to the 15 Oculus visemes.

Conventions: `hh` takes the next vowel's viseme, a diphthong its nucleus (the glide is an accepted alternative), schwa is
`aa` with `E` accepted, `l` is `nn` with `RR` accepted, `sh` is `CH` with `SS` accepted.
"""

from __future__ import annotations

from dataclasses import dataclass

VISEMES = ("sil", "PP", "FF", "TH", "DD", "kk", "CH", "SS", "nn", "RR", "aa", "E", "I", "O", "U")
INDEX = {name: i for i, name in enumerate(VISEMES)}

# Jaw and lip opening of each viseme, for the openness correlation.
OPENNESS = (0.0, 0.0, 0.15, 0.25, 0.2, 0.3, 0.25, 0.15, 0.25, 0.3, 1.0, 0.7, 0.4, 0.7, 0.35)

ARPABET = {
    "sil": "sil", "pau": "sil", "p": "PP", "b": "PP", "m": "PP", "em": "PP", "f": "FF", "v": "FF", "th": "TH",
    "dh": "TH", "t": "DD", "d": "DD", "dx": "DD", "k": "kk", "g": "kk", "ng": "kk", "ch": "CH", "jh": "CH",
    "sh": "CH", "zh": "CH", "s": "SS", "z": "SS", "n": "nn", "en": "nn", "l": "nn", "el": "nn", "r": "RR",
    "er": "RR", "axr": "RR", "aa": "aa", "ae": "aa", "ah": "aa", "ax": "aa", "ay": "aa", "aw": "aa", "eh": "E",
    "ey": "E", "ih": "I", "ix": "I", "iy": "I", "y": "I", "ao": "O", "ow": "O", "oy": "O", "uh": "U", "uw": "U",
    "w": "U", "hh": "aa", "hv": "aa",
}
ARPABET_ALT = {
    "ax": ("E",), "ah": ("E",), "ay": ("I",), "aw": ("U",), "ey": ("I",), "ow": ("U",), "oy": ("I",), "l": ("RR",),
    "el": ("RR",), "sh": ("SS",), "zh": ("SS",), "ix": ("E",), "er": ("E",), "ng": ("nn",),
}

# Base IPA symbols, the first of a phoneme's name decides. Dental and retroflex stops look alike from outside.
IPA = {
    **dict.fromkeys("pbmɓʙ", "PP"),
    **dict.fromkeys("fvɱʋɸβ", "FF"),
    **dict.fromkeys("θð", "TH"),
    **dict.fromkeys("tdɾʈɖɗ", "DD"),
    **dict.fromkeys("kɡgqŋxɣχħcɟ", "kk"),
    **dict.fromkeys("ʃʒɕʑʂʐç", "CH"),
    **dict.fromkeys("szʦʣ", "SS"),
    **dict.fromkeys("nlɲɳɫɭʎɬ", "nn"),
    **dict.fromkeys("rɹɻʁʀɽɚɝ", "RR"),
    **dict.fromkeys("aæɑɐʌəɘäɒɤ", "aa"),
    **dict.fromkeys("eɛεœøɜɞ", "E"),
    **dict.fromkeys("iɪɨjᵻʝ", "I"),
    **dict.fromkeys("oɔɵ", "O"),
    **dict.fromkeys("uʊʉwɯyʏɥʍ", "U"),
    "h": "aa", "ɦ": "aa", "ʔ": "sil",
}
IPA_WHOLE = {
    "tʃ": "CH", "dʒ": "CH", "tɕ": "CH", "dʑ": "CH", "ts": "SS", "dz": "SS", "pf": "PP", "ɜː": "RR", "əl": "nn",
    "n̩": "nn", "ɒ": "O", "ɐ̃": "aa", "ɔ̃": "O", "ɑ̃": "aa", "oʊ": "O", "əʊ": "O", "ʈʂ": "CH", "ɖʐ": "CH",
    "r̝̊": "CH", "ja": "aa", "ju": "U", "ea": "aa", "ɔa": "aa", "eo": "O",
}
IPA_ALT = {
    "ə": ("E",), "ɐ": ("E",), "ʌ": ("E",), "eɪ": ("I",), "aɪ": ("I",), "aʊ": ("U",), "oʊ": ("U",), "əʊ": ("U",),
    "ɔɪ": ("I",), "l": ("RR",), "ʃ": ("SS",), "ʒ": ("SS",), "ø": ("U", "O"), "œ": ("O",), "y": ("I",),
    "ɜː": ("E",), "ŋ": ("nn",), "aʊə": ("U",), "ɵ": ("U", "E"), "ɭ": ("RR",), "ɫ": ("RR",), "r̝": ("CH",),
    "r̝̊": ("RR", "SS"), "ja": ("I",), "ju": ("I",), "ea": ("E",), "ɔa": ("O",), "eo": ("E",), "uo": ("O",),
}
# Symbols that espeak-ng uses in one language for another sound than IPA's: an unrounded y; c and ɟ behind the teeth.
IPA_LANGUAGE = {
    "ru": {"y": "I"}, "ro": {"yɪ": "I"}, "pt": {"y": "I"}, "cs": {"c": "DD", "ɟ": "DD"},
}
_IGNORED = set("\u033b\u032f\"ˈˌːˑʲʰ̃ˤ̩̪ʷ'`-^ ̚͡0123456789*?;#.,")


@dataclass
class Phone:
    """One phone: seconds from the first sample, the viseme it shows, and others a viewer would accept."""

    name: str
    start: float
    end: float
    viseme: str
    alt: tuple[str, ...] = ()


def ipa_viseme(name: str, language: str = "") -> tuple[str, tuple[str, ...], bool]:
    """Viseme, alternatives and whether the phone borrows the next vowel's mouth; KeyError for an unknown symbol."""
    stripped = "".join(c for c in name if c not in "ˈˌ")
    base = "".join(c for c in stripped if c not in _IGNORED)
    if len(base) > 1 and base[0] == "ʔ":  # A creaky vowel.
        base = base[1:]
    if base in IPA_LANGUAGE.get(language, {}):
        return IPA_LANGUAGE[language][base], (), False
    if not base or base[0] == "(":  # A pause, or espeak-ng's note that it changes language.
        return "sil", (), False
    viseme = IPA_WHOLE.get(stripped) or IPA_WHOLE.get(base) or IPA[base[0]]
    alt = IPA_ALT.get(stripped) or IPA_ALT.get(base) or IPA_ALT.get(base[0], ())
    if not alt and len(base) > 1 and base[0] in "aeoɔəɛ" and base[-1] in "ɪiʊu":
        alt = ("I",) if base[-1] in "ɪi" else ("U",)
    return viseme, tuple(a for a in alt if a != viseme), base[0] in "hɦ"


def arpabet_viseme(name: str) -> tuple[str, tuple[str, ...], bool]:
    base = name.lower().strip("0123456789_+")
    return ARPABET[base], ARPABET_ALT.get(base, ()), base in ("hh", "hv")


VOWELS = {"aa", "E", "I", "O", "U", "RR"}


def borrow_vowels(phones: list[Phone], borrows: list[bool]) -> None:
    """Gives each h the viseme of the vowel that follows it."""
    for i in range(len(phones) - 2, -1, -1):
        if borrows[i] and phones[i + 1].viseme in VOWELS:
            phones[i].viseme, phones[i].alt = phones[i + 1].viseme, phones[i + 1].alt


# Phones of Festival's other voices where IPA's letters would mislead; doubled letters are long or palatalised.
FESTIVAL = {
    "it": {"#": "sil", "ts": "SS", "dz": "SS", "tS": "CH", "dZ": "CH", "S": "CH", "J": "nn", "JJ": "nn", "L": "nn",
           "LL": "nn", "ng": "kk", "nf": "FF", "E": "E", "O": "O", "SS": "CH", "ddz": "SS", "tts": "SS", "ttS": "CH",
           "ddZ": "CH"},
    "ru": {"pau": "sil", "c": "SS", "ch": "CH", "sch": "CH", "sh": "CH", "zh": "CH", "h": "kk", "hh": "kk", "ae": "E",
           "ay": "E", "y": "I", "yy": "I", "ur": "U"},
    "fi": {"#": "sil", "##": "sil", "@": "aa", "@:": "aa", "7": "E", "7:": "E", "N": "kk", "N:": "kk", "h": "aa"},
    "cs": {"#": "sil", "_": "sil", "c": "SS", "ch": "kk", "c~": "CH", "s~": "CH", "z~": "CH", "dz~": "CH", "r~": "RR",
           "r~*": "CH", "h": "aa"},
}


def festival_viseme(language: str, name: str) -> tuple[str, tuple[str, ...], bool]:
    base = name.rstrip("0123456789") or name
    viseme = FESTIVAL[language].get(base) or IPA[base[0]]
    return viseme, (), base == "h" and viseme == "aa"
