import * as fc from "fast-check";
import { expect, test } from "vitest";
import { serverEventSchema } from "../../contract/control-socket.ts";
import { manners, Party } from "../testing/party.ts";
import { Random } from "../testing/random.ts";
import { otherKey, startTestBox, staticKey } from "../testing/test-box.ts";

/** Of a machine that has other things to do. */
const patience = { timeout: 60_000, interval: 5 };

const step = fc.record({
  who: fc.constantFrom<0 | 1>(0, 1),
  act: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("message" as const),
        manner: fc.constantFrom(...manners, "held" as const),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("interrupt" as const), waits: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("talkstream" as const), ends: fc.boolean() }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom(
          "talk" as const,
          "noise" as const,
          "auth" as const,
          "reconnect" as const,
          "pause" as const,
        ),
      }),
    },
  ),
});
type Act = (typeof step extends fc.Arbitrary<infer Step> ? Step : never) extends { act: infer Each }
  ? Each
  : never;

async function perform(party: Party, act: Act, key: string): Promise<void> {
  switch (act.do) {
    case "message":
      party.message(act.manner);
      break;
    case "interrupt": {
      const before = party.sent.length;
      party.interrupt();
      if (!act.waits) break;
      await party.acknowledged();
      // Nothing that was sent before is still open; were more of it to come, the witness would find it without a turn.
      expect(party.witness.open).toBe(false);
      expect(party.witness.closings.length + party.overtaken).toBe(before);
      break;
    }
    case "talk":
      party.talk();
      break;
    case "talkstream":
      party.talkstream(act.ends);
      break;
    case "noise":
      party.send({ type: "dance", with: "me" });
      party.send({ type: "heartbeat" });
      party.send({ type: "tool_result", id: "none", result: party.mark });
      break;
    case "auth":
      party.send({ type: "auth", token: key });
      break;
    case "reconnect":
      await party.reconnect();
      break;
    case "pause":
      await new Promise((resolve) => {
        setTimeout(resolve, 3);
      });
      break;
  }
}

test("whatever two callers do: turns keep their order, close once, end with an interrupt, and are nobody else's", async () => {
  const seen = { message: 0, error: 0, overtaken: 0, interrupts: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 30 }),
      fc.boolean(),
      fc.integer(),
      async (steps, held, seed) => {
        const box = await startTestBox();
        try {
          box.media.held = held;
          await box.connect();
          // Settings take their time, now more, now less.
          const { portal } = box.services;
          const settings = portal.settings.bind(portal);
          const random = new Random(seed);
          portal.settings = async (account) => {
            const waitMs = random.below(4);
            if (waitMs > 0)
              await new Promise((resolve) => {
                setTimeout(resolve, waitMs);
              });
            return settings(account);
          };
          const keys = [staticKey, otherKey] as const;
          const parties = [
            await Party.join({ box, key: keys[0], mark: "alpha" }),
            await Party.join({ box, key: keys[1], mark: "beta" }),
          ] as const;
          box.model.reply = ({ messages }) => {
            const last = messages.findLast(({ role }) => role === "user");
            const content = last && "content" in last ? last.content : "";
            const party = parties.find(({ mark }) => content.startsWith(mark));
            const manner = manners.find((each) => content.endsWith(each));
            if (!party || !manner) throw new Error(`Nobody said ${JSON.stringify(content)}.`);
            return party.reply(manner);
          };

          for (const { who, act } of steps) await perform(parties[who], act, keys[who]);

          for (const party of parties) {
            await party.settled();
            party.interrupt();
            await party.acknowledged();
            const { witness, sent, overtaken, mark } = party;
            expect(witness.open).toBe(false);
            expect(witness.closings.length + overtaken).toBe(sent.length);
            const accepted = new Set(witness.accepted);
            expect(witness.accepted).toEqual(sent.filter((content) => accepted.has(content)));
            const other = mark === "alpha" ? "beta" : "alpha";
            for (const event of party.events) {
              serverEventSchema.parse(event);
              expect(JSON.stringify(event)).not.toContain(other);
            }
            for (const how of witness.closings) seen[how]++;
            seen.overtaken += overtaken;
            seen.interrupts += witness.interrupts;
            party.leave();
          }
          expect(box.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
          await expect.poll(() => box.services.hub.size, patience).toBe(0);
        } finally {
          await box.close();
        }
      },
    ),
    { numRuns: 40, endOnFailure: true },
  );
  // All of it happened, so that none of it was shown by never being tried.
  for (const [what, count] of Object.entries(seen)) expect([what, count > 0]).toEqual([what, true]);
});
