// Orders of an administrator: starting a box, draining it, stopping it.

import type { z } from "zod";
import type { boxStartedSchema, FleetRow } from "../../contract/fleet.ts";
import { nowSeconds } from "../platform/clock.ts";
import { sha256Hex } from "../platform/digest.ts";
import type { Env } from "../platform/env.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { newId, randomSecret } from "../platform/ids.ts";
import { driverOf } from "./drivers/drivers.ts";
import { fleetRow } from "./fleet.ts";
import {
  deleteLaunch,
  deleteOldLaunches,
  findBoxById,
  insertLaunch,
  markStopped,
  setDrained,
  type KnownBox,
  type LaunchRow,
} from "./launch-store.ts";

type Fleet = Pick<Env, "db" | "lifecycle">;

const unknownBox = failure("unknown_box", "The registry knows no such box.");

function notTaken({ lifecycle }: Fleet): Outcome<never> {
  return failure(
    "lifecycle_unavailable",
    lifecycle.kind === "none"
      ? "Boxes are started and stopped by hand here: no lifecycle driver is configured."
      : "Whatever starts and stops boxes did not take the order.",
  );
}

/** What is to be known of a box whose order nobody answered. */
function unanswered(what: string): Outcome<never> {
  return failure(
    "lifecycle_unavailable",
    `Whatever starts and stops boxes did not answer, so the order may have been taken: ${what}`,
  );
}

const registryFailed = (cause: unknown) =>
  failure("lifecycle_unavailable", "The registry of boxes cannot be reached just now. Try again.", cause);

export interface StartOrder {
  region: string;
  /** Account of the administrator. */
  by: string;
  /** Where the box finds the portal. */
  portalUrl: string;
}

/**
 * Orders a new box. It gets a secret of its own, which leaves the portal in the order alone. The launch is kept before the
 * order goes out, so that even a box that comes up at once is known. It goes only on a definite refusal: a machine that
 * started without a word must be let in, and one that did not is forgotten by the clean-up.
 */
export async function startBox(
  fleet: Fleet,
  { region, by, portalUrl }: StartOrder,
): Promise<Outcome<z.infer<typeof boxStartedSchema>>> {
  if (fleet.lifecycle.kind === "none") return notTaken(fleet);
  const boxId = `box-${newId()}`;
  const secret = randomSecret();
  try {
    await insertLaunch(fleet.db, {
      boxId,
      region,
      secretDigest: await sha256Hex(secret),
      startedBy: by,
      startedAt: nowSeconds(),
    });
    const outcome = await driverOf(fleet.lifecycle).order({
      action: "start",
      box_id: boxId,
      box_secret: secret,
      region,
      portal_url: portalUrl,
    });
    switch (outcome) {
      case "taken":
        return success({ box_id: boxId, state: "starting" as const });
      case "unanswered":
        return unanswered(`box ${boxId} may be on its way. Look at the fleet before you order another one.`);
      case "refused":
        await deleteLaunch(fleet.db, boxId);
        return notTaken(fleet);
    }
  } catch (cause) {
    return registryFailed(cause);
  }
}

/** Drains a box, or takes that back: a drained one gets no new lease, and hears of it in its next heartbeat. */
export async function drainBox(db: D1Database, boxId: string, drained: boolean): Promise<Outcome<FleetRow>> {
  const row = await setDrained(db, boxId, drained);
  return row ? success(fleetRow(row)) : unknownBox;
}

/** A box that was launched and has never been heard of, as far as there is anything to say of it. */
function unseenRow({ boxId, region, startedAt }: LaunchRow): FleetRow {
  return {
    box_id: boxId,
    public_url: "",
    region,
    state: "draining",
    room: null,
    build: { known: false, short_commit: "" },
    heartbeat_at: startedAt,
    heartbeat_age_seconds: Math.max(0, nowSeconds() - startedAt),
    fresh: false,
    capacity: 0,
    avatars_warm: [],
    drained: true,
    leased: false,
  };
}

/**
 * Orders a box to stop. It is drained before the order goes out, so that nobody is sent to it meanwhile; an order that is
 * refused leaves it as it was. One that nobody answered leaves it drained, since it may be about to go.
 */
export async function stopBox(fleet: Fleet, boxId: string): Promise<Outcome<FleetRow>> {
  const { db, lifecycle } = fleet;
  try {
    const before = await findBoxById(db, boxId);
    const region = before.box?.region ?? before.launch?.region;
    if (region === undefined) return unknownBox;
    if (lifecycle.kind === "none") return notTaken(fleet);
    await setDrained(db, boxId, true);
    switch (await driverOf(lifecycle).order({ action: "stop", box_id: boxId, region })) {
      case "taken":
        await markStopped(db, boxId, nowSeconds());
        return rowOf(await findBoxById(db, boxId));
      case "unanswered":
        return unanswered("the box stays drained. Stop it again, or take the draining back.");
      case "refused":
        if (before.box && !before.box.drained) await setDrained(db, boxId, false);
        return notTaken(fleet);
    }
  } catch (cause) {
    return registryFailed(cause);
  }
}

function rowOf({ box, launch }: KnownBox): Outcome<FleetRow> {
  if (box) return success(fleetRow(box));
  return launch ? success(unseenRow(launch)) : unknownBox;
}

/** Long past a box's life of about two hours. */
const launchKeptSeconds = 24 * 3600;

/** The scheduled clean-up's share: launches that were stopped, or never heard of, a day ago. */
export async function forgetLaunches({ db }: Pick<Env, "db">): Promise<void> {
  await deleteOldLaunches(db, nowSeconds() - launchKeptSeconds);
}
