// What a viewer saw of each sound: lips that shut or did not, how far they opened, and when.

import { bestOffset, correlation, minimumWithin, quantile, runsBelow, valueAt, type Track } from "./score.ts";
import { jawCurve, type Phone } from "./truth.ts";

/** A clip's phones, on the lips' clock. */
export interface Said {
  text: string;
  startSeconds: number;
  seconds: number;
  phones: readonly Phone[];
}

export interface Event {
  text: string;
  name: string;
  /** Within its clip. */
  seconds: number;
  /** How far open the lips were at their most shut: 0 at rest, 1 as open as they get. */
  least: number;
}

export interface Verdict {
  /** Every p, b and m; `missed` are those that nobody saw. */
  closures: number;
  missed: Event[];
  /** Sounds that no p, b, m, f, v or pause is near, through windows as long: how many show shut lips all the same, 0..1. */
  shutOnOthers: number;
  /** Share of the time spoken in which the lips are shut. */
  shutShare: number;
  /** Closures that no p, b, m, f, v or pause explains: lips that are nearly shut are right on f and v. */
  falsePerMinute: number;
  falseAt: Event[];
  /** Every f and v, and on how many the lips came near the teeth, 0..1. */
  labiodentals: number;
  nearOnLabiodentals: number;
  /** Lips against jaw opening at the best constant offset, and that offset: positive where the lips are late. */
  apertureR: number;
  offsetSeconds: number;
  /** The same correlation for truth shifted by three seconds: what chance gives. */
  chanceR: number;
  speechSeconds: number;
}

/** Around a sound's own time, as the field counts closure events: seconds. */
const tolerance = 0.04;
/** Lips count as shut below this share of the way from rest to wide open; near the teeth below the second. */
const shutShareOfOpening = 0.15;
const nearShareOfOpening = 0.35;
/** Steps in which a track is read. */
const stepSeconds = 0.01;

const isClosure = ({ viseme }: Phone) => viseme === "PP";
const isLabiodental = ({ viseme }: Phone) => viseme === "FF";
const isPause = ({ viseme }: Phone) => viseme === "sil";

/** @param lips Aperture over the whole recording; some of it, before the first clip, is of lips at rest. */
export function judge(lips: Track, clips: readonly Said[]): Verdict {
  const truth: Track = { times: [], values: [] };
  for (const clip of clips) {
    const times = Array.from({ length: Math.floor(clip.seconds / stepSeconds) }, (_, i) => i * stepSeconds);
    truth.times.push(...times.map((time) => clip.startSeconds + time));
    truth.values.push(...jawCurve(clip.phones, times));
  }
  const { offsetSeconds, best } = bestOffset(lips, truth);
  const chanceR = correlation(
    truth.times.map((time) => valueAt(lips, time + offsetSeconds)),
    truth.values.map((_, i) => truth.values[(i + 3 / stepSeconds) % truth.values.length] ?? 0),
  );

  const firstWord = Math.min(...clips.map((clip) => clip.startSeconds));
  const resting = lips.values.filter((_, i) => (lips.times[i] ?? 0) < firstWord - 0.2);
  if (resting.length === 0) throw new Error("The recording shows no lips at rest before the first word.");
  const rest = quantile(resting, 0.5);
  const speaking = truth.times.map((time) => valueAt(lips, time));
  const wide = quantile(speaking, 0.95);
  const opening: Track = { times: lips.times, values: lips.values.map((x) => (x - rest) / (wide - rest)) };

  const leastOver = (clip: Said, { startSeconds, endSeconds }: Phone) =>
    minimumWithin(
      opening,
      clip.startSeconds + startSeconds - tolerance,
      clip.startSeconds + endSeconds + tolerance,
    );
  const eventsOf = (wanted: (phone: Phone, clip: Said) => boolean): Event[] =>
    clips.flatMap((clip) =>
      clip.phones
        .filter((phone) => wanted(phone, clip))
        .map((phone) => ({
          text: clip.text,
          name: phone.name,
          seconds: phone.startSeconds,
          least: leastOver(clip, phone),
        })),
    );
  /** Whether lips may be shut for another sound, or for none, within this stretch of a clip. */
  const explained = (clip: Said, from: number, to: number) =>
    from < tolerance ||
    to > clip.seconds - tolerance ||
    clip.phones.some(
      (phone) =>
        (isClosure(phone) || isLabiodental(phone) || isPause(phone)) &&
        phone.startSeconds - tolerance <= to &&
        phone.endSeconds + tolerance >= from,
    );

  const closures = eventsOf(isClosure);
  const others = eventsOf(
    (phone, clip) => !explained(clip, phone.startSeconds - tolerance, phone.endSeconds + tolerance),
  );
  const labiodentals = eventsOf(isLabiodental);
  const falseAt = clips.flatMap((clip) =>
    runsBelow(opening, shutShareOfOpening, {
      from: clip.startSeconds,
      to: clip.startSeconds + clip.seconds,
      step: stepSeconds,
    })
      .filter(({ from, to }) => !explained(clip, from - clip.startSeconds, to - clip.startSeconds))
      .map(({ from, to }) => {
        const seconds = (from + to) / 2 - clip.startSeconds;
        const phone = clip.phones.find((each) => seconds >= each.startSeconds && seconds < each.endSeconds);
        return { text: clip.text, name: phone?.name ?? "", seconds, least: minimumWithin(opening, from, to) };
      }),
  );
  const isShut = ({ least }: Event) => least <= shutShareOfOpening;
  const speechSeconds = clips.reduce((sum, clip) => sum + clip.seconds, 0);
  const shareOf = (events: readonly Event[], test: (event: Event) => boolean) =>
    events.length === 0 ? Number.NaN : events.filter(test).length / events.length;
  return {
    closures: closures.length,
    missed: closures.filter((event) => !isShut(event)),
    shutOnOthers: shareOf(others, isShut),
    shutShare:
      truth.times.filter((time) => valueAt(opening, time) <= shutShareOfOpening).length / truth.times.length,
    falsePerMinute: (60 * falseAt.length) / speechSeconds,
    falseAt,
    labiodentals: labiodentals.length,
    nearOnLabiodentals: shareOf(labiodentals, ({ least }) => least <= nearShareOfOpening),
    apertureR: best,
    offsetSeconds,
    chanceR,
    speechSeconds,
  };
}
