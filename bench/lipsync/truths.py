"""Speech with the times of its phones, from sources that the viseme net is judged by (native/model).

    python3 truths.py FOLDER < JOBS

JOBS is JSON: a list of {"source": "espeak", "voice", "wordsPerMinute", "text"}, {"source": "flite", "voice", "text"} or
{"source": "recording", "path", "text"}. espeak-ng's events and flite's own list of phones tell their times; a recording is
aligned with its words by PocketSphinx. For each job an audio file (16 kHz, mono) lies in FOLDER; the output is a list of
{"text", "wav", "phones": [{"p": name, "s": seconds, "e": seconds, "v": viseme}]}, null in the place of a job that could not
be done.
"""

import json
import sys
import tempfile
import wave
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "native" / "model"))


class Sources:
    """Each source, made when it is first asked for."""

    def __init__(self):
        self._espeak = None
        self._aligner = None

    def espeak(self, job):
        if self._espeak is None:
            from espeak_source import Espeak
            self._espeak = Espeak()
        return self._espeak.speak(job["text"], job["voice"], job["wordsPerMinute"])

    def flite(self, job):
        import segment_sources
        return segment_sources.flite(job["text"], job["voice"])

    def recording(self, job):
        from recordings import decode
        if self._aligner is None:
            from align import Aligner
            with tempfile.TemporaryDirectory() as scratch:  # Read once, as the aligner is made.
                self._aligner = Aligner(Path(scratch))
        pcm = decode(Path(job["path"]))
        phones = self._aligner(pcm, job["text"])
        return (pcm, phones) if phones else None


def main():
    folder = Path(sys.argv[1])
    sources = Sources()
    out = []
    for i, job in enumerate(json.load(sys.stdin)):
        spoken = getattr(sources, job["source"])(job)
        if spoken is None or len(spoken[0]) == 0:
            out.append(None)
            continue
        pcm, phones = spoken
        path = folder / f"clip-{i}.wav"
        with wave.open(str(path), "wb") as wav:
            wav.setnchannels(1)
            wav.setsampwidth(2)
            wav.setframerate(16000)
            wav.writeframes(pcm.astype("<i2").tobytes())
        out.append({"text": job["text"], "wav": str(path),
                    "phones": [{"p": p.name, "s": p.start, "e": p.end, "v": p.viseme} for p in phones]})
    json.dump(out, sys.stdout)


if __name__ == "__main__":
    main()
