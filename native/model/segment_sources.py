"""Speech with phone times from flite and Festival voices, both of which report the segments they synthesised."""

from __future__ import annotations

import subprocess
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from scipy.io import wavfile
from scipy.signal import resample_poly

from phones import Phone, arpabet_viseme, borrow_vowels, festival_viseme

FLITE = {"kal16": False, "rms": False, "slt": False, "awb": True}  # Voice: held out.
FESTIVAL = {
    "kal_diphone": ("en", False), "ked_diphone": ("en", True), "cmu_us_slt_arctic_hts": ("en", False),
    "lp_diphone": ("it", False), "pc_diphone": ("it", True), "msu_ru_nsh_clunits": ("ru", False),
    "suo_fi_lj_diphone": ("fi", False), "hy_fi_mv_diphone": ("fi", False), "czech_dita": ("cs", False),
    "czech_ph": ("cs", False), "czech_krb": ("cs", False), "czech_machac": ("cs", False),
}
ENCODING = {"it": "latin-1", "fi": "latin-1", "cs": "iso-8859-2"}


def read_wav(path: Path) -> np.ndarray:
    """int16 mono at 16 kHz."""
    rate, pcm = wavfile.read(path)
    if pcm.ndim > 1:
        pcm = pcm[:, 0]
    if rate == 16000:
        return pcm.astype(np.int16)
    common = np.gcd(rate, 16000)
    resampled = resample_poly(pcm.astype(np.float64), 16000 // common, rate // common)
    return np.clip(resampled, -32768, 32767).astype(np.int16)


def _phones(ends: list[tuple[str, float]], table) -> list[Phone]:
    phones, borrows, start = [], [], 0.0
    for name, end in ends:
        viseme, alt, borrow = table(name)
        phones.append(Phone(name, start, end, viseme, alt))
        borrows.append(borrow)
        start = end
    borrow_vowels(phones, borrows)
    return phones


def flite(text: str, voice: str, stretch: float = 1.0) -> tuple[np.ndarray, list[Phone]]:
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder) / "a.wav"
        done = subprocess.run(["flite", "-voice", voice, "--setf", f"duration_stretch={stretch}", "-psdur", "-t", text,
                               "-o", str(wav)], capture_output=True, text=True, check=True)
        ends = [(n, float(t)) for n, t in (item.rsplit(":", 1) for item in done.stdout.split())]
        return read_wav(wav), _phones(ends, arpabet_viseme)


def festival(texts: list[str], voice: str, language: str) -> list[tuple[np.ndarray, list[Phone], str]]:
    """One Festival process speaks all the texts, each at its own rate."""
    table = arpabet_viseme if language == "en" else partial(festival_viseme, language)
    spoken = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = [f"(voice_{voice})"]
        for i, text in enumerate(texts):
            quoted = text.replace("\\", "").replace('"', "")
            stretch = (1.0, 0.85, 1.15, 1.0, 0.95)[i % 5]
            lines.append(f"(Parameter.set 'Duration_Stretch {stretch})")
            lines.append(f"(let ((utt (eval (list 'Utterance 'Text \"{quoted}\")))) (utt.synth utt) "
                         f"(utt.save.wave utt \"{folder}/{i}.wav\" 'riff) (utt.save.segs utt \"{folder}/{i}.seg\"))")
        script = folder / "say.scm"
        script.write_text("\n".join(lines), encoding=ENCODING.get(language, "utf-8"), errors="replace")
        subprocess.run(["festival", "-b", str(script)], capture_output=True)
        for i, text in enumerate(texts):
            wav, seg = folder / f"{i}.wav", folder / f"{i}.seg"
            if not (wav.exists() and seg.exists()):
                continue
            rows = [row.split() for row in seg.read_text().splitlines()[1:] if row.strip()]
            spoken.append((read_wav(wav), _phones([(r[2], float(r[0])) for r in rows], table), text))
    return spoken
