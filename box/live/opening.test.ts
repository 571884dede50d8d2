// What may go wrong while a session is being opened, and that nothing of it stays behind.

import { afterEach, beforeEach, expect, test } from "vitest";
import { otherKey, startTestBox, staticKey, type TestBox } from "../testing/test-box.ts";

let box: TestBox;
beforeEach(async () => {
  box = await startTestBox();
});
afterEach(() => box.close());

const offer = { sdp: "v=0\r\n", type: "offer" };
const ends = () => box.logged.filter((line) => line.msg === "session ended").map((line) => line.reason);

/** Holds back every answer until it is called. */
function gathering(): () => void {
  const gathered = Promise.withResolvers<void>();
  box.media.gathered = gathered.promise;
  return gathered.resolve;
}

test("a session shorter than its own opening begins, ends and leaves the box free", async () => {
  const done = gathering();
  const opening = box.connect({ body: { max_session_length_seconds: 0.001 } });
  await expect.poll(() => box.media.peers.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  done();
  await opening;
  await expect.poll(() => box.services.slot.state).toBe("free");
  expect(ends()).toEqual(["max_length"]);
  expect(box.media.stage.closed && box.media.peer.closed).toBe(true);
});

test("a caller who leaves before the answer takes nobody's place", async () => {
  const { session_id } = await box.connect();
  const done = gathering();
  const leaving = new AbortController();
  const opening = fetch(`${box.url}/connect`, {
    method: "POST",
    headers: { "X-Api-Key": otherKey },
    body: JSON.stringify(offer),
    signal: leaving.signal,
  });
  await expect.poll(() => box.media.peers.length).toBe(2);
  leaving.abort();
  await expect(opening).rejects.toThrow();
  await new Promise((resolve) => setTimeout(resolve, 20));
  done();
  await expect.poll(() => box.media.peers[1]?.closed).toBe(true);
  expect(box.services.slot.current?.id).toBe(session_id);
  expect(ends()).toEqual([]);
});

test("a stage that cannot be made costs the live session nothing", async () => {
  const { session_id } = await box.connect();
  box.media.broken = new Error("The rig is damaged.");
  const response = await box.ask("/connect", { key: otherKey, body: offer });
  expect(response.status).toBe(500);
  expect(JSON.stringify(await response.json())).not.toContain("damaged");
  expect(box.services.slot.current?.id).toBe(session_id);
  expect(box.media.peers[1]?.closed).toBe(true);
});

test("of two that open at once the later one stays, and the earlier one is freed", async () => {
  const done = gathering();
  const opening = [box.connect({ key: staticKey }), box.connect({ key: otherKey })];
  await expect.poll(() => box.media.peers.length).toBe(1);
  done();
  const sessions = await Promise.all(opening);
  expect(sessions.map(({ session_id }) => session_id)).toContain(box.services.slot.current?.id);
  expect(box.media.stages.filter((stage) => !stage.closed)).toHaveLength(1);
  expect(box.media.peers.filter((peer) => !peer.closed)).toHaveLength(1);
  expect(ends()).toEqual(["replaced"]);
});

test("a peer that broke while it was being answered ends the session that was meant for it", async () => {
  const done = gathering();
  const opening = box.connect();
  await expect.poll(() => box.media.peers.length).toBe(1);
  box.media.peer.become("closed");
  done();
  await opening;
  expect(box.services.slot.current).toBeNull();
  expect(box.media.stage.closed && box.media.peer.closed).toBe(true);
});

test("a box that ends while one is being opened ends that one too", async () => {
  const done = gathering();
  const opening = box.connect().catch(() => null);
  await expect.poll(() => box.media.peers.length).toBe(1);
  const ended = box.end();
  done();
  await Promise.all([opening, ended]);
  expect(box.services.slot.current).toBeNull();
  expect(box.media.peers.every((peer) => peer.closed)).toBe(true);
  expect(box.media.stages.every((stage) => stage.closed)).toBe(true);
});
