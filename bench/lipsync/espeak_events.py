"""Speaks a text with libespeak-ng and prints what it said and when, as JSON.

    python3 espeak_events.py VOICE WORDS_PER_MINUTE WAV_OUT < text

Phoneme events are the synthesizer's own (espeakINITIALIZE_PHONEME_EVENTS of speak_lib.h): each names the phoneme that
begins at `audio_position` milliseconds. The output is {"sample_rate", "seconds", "phonemes": [{"p": IPA, "s": seconds}]}.
"""

import ctypes
import json
import sys
import wave

AUDIO_OUTPUT_SYNCHRONOUS = 2
INITIALIZE_PHONEME_EVENTS = 0x0001
INITIALIZE_PHONEME_IPA = 0x0002
CHARS_UTF8 = 1
END_PAUSE = 0x1000
EVENT_LIST_TERMINATED = 0
EVENT_PHONEME = 7
PARAMETER_RATE = 1


class EventId(ctypes.Union):
    _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]


class Event(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", EventId),
    ]


SynthCallback = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(Event)
)


def speak(text, voice, words_per_minute):
    library = ctypes.CDLL("libespeak-ng.so.1")
    options = INITIALIZE_PHONEME_EVENTS | INITIALIZE_PHONEME_IPA
    sample_rate = library.espeak_Initialize(AUDIO_OUTPUT_SYNCHRONOUS, 0, None, options)
    if sample_rate <= 0:
        raise SystemExit("libespeak-ng would not start")
    pcm = bytearray()
    phonemes = []

    @SynthCallback
    def on_audio(samples, count, events):
        if samples and count > 0:
            pcm.extend(ctypes.string_at(samples, count * 2))
        index = 0
        while events[index].type != EVENT_LIST_TERMINATED:
            event = events[index]
            if event.type == EVENT_PHONEME:
                phonemes.append({"p": event.id.string.decode("utf-8", "ignore"), "s": event.audio_position / 1000})
            index += 1
        return 0

    library.espeak_SetSynthCallback(on_audio)
    if library.espeak_SetVoiceByName(voice.encode()) != 0:
        raise SystemExit(f"espeak-ng has no voice {voice}")
    library.espeak_SetParameter(PARAMETER_RATE, words_per_minute, 0)
    data = text.encode("utf-8")
    library.espeak_Synth(data, len(data) + 1, 0, 0, 0, CHARS_UTF8 | END_PAUSE, None, None)
    library.espeak_Synchronize()
    library.espeak_Terminate()
    return sample_rate, bytes(pcm), phonemes


def main():
    voice, words_per_minute, wav_path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    sample_rate, pcm, phonemes = speak(sys.stdin.read().strip(), voice, words_per_minute)
    with wave.open(wav_path, "wb") as wav:
        wav.setnchannels(1)
        wav.setsampwidth(2)
        wav.setframerate(sample_rate)
        wav.writeframes(pcm)
    seconds = len(pcm) / 2 / sample_rate
    json.dump({"sample_rate": sample_rate, "seconds": seconds, "phonemes": phonemes}, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
