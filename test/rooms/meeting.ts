// A meeting: one room with an agent in it, and a box that joins as its avatar.

import type { RoomJoinAnswer, RoomReadiness, RoomStatus } from "../../contract/rooms.ts";
import { startBox, type BoxProcess } from "../harness/box.ts";
import { Agent, type AgentOptions, type Finished } from "./agent.ts";
import type { TokenOptions } from "./server/tokens.ts";
import { openService, type Service } from "./service.ts";
import { until } from "./until.ts";
import { audible, tone, Visitor, type Sound } from "./visitor.ts";

export interface Answer<Body> {
  status: number;
  body: Body & { code?: string; error?: { code?: string; message?: string } };
}

/** A second of a tone at an agent's usual rate. */
export const second = (hertz = 440, rate = 24_000): Int16Array => tone({ hertz, from: 0, count: rate, rate });

export const seconds = (count: number, hertz = 440, rate = 24_000): Int16Array =>
  tone({ hertz, from: 0, count: Math.round(count * rate), rate });

/** One box and one room server for a file of tests; each test has a room of its own. */
export class Venue {
  readonly service: Service;
  readonly box: BoxProcess;
  /** The identity that the box expects tokens for. */
  readonly avatar: string;
  #open: { leave(): Promise<unknown> }[] = [];

  private constructor(service: Service, box: BoxProcess, avatar: string) {
    this.service = service;
    this.box = box;
    this.avatar = avatar;
  }

  static async open(env: Record<string, string> = {}): Promise<Venue> {
    const service = await openService();
    const box = await startBox(env);
    const key = env.SERVICE_API_KEYS?.split(",")[0];
    const headers = key ? { "x-api-key": key } : undefined;
    const response = await fetch(`${box.url}/rtc/readiness`, headers && { headers });
    const { identity, installed, problem } = (await response.json()) as RoomReadiness;
    if (!installed && env.ROOMS !== "off") throw new Error(`The box cannot join rooms: ${problem}`);
    return new Venue(service, box, identity);
  }

  get own() {
    if (!this.service.own) throw new Error("Only the tests' own server can do this.");
    return this.service.own;
  }

  /** The box's answer to a JSON request. */
  async ask<Body = Record<string, unknown>>(
    method: "GET" | "POST",
    path: string,
    body?: object,
    key?: string,
  ): Promise<Answer<Body>> {
    const response = await fetch(`${this.box.url}${path}`, {
      method,
      // A connection that was idle for as long as the box keeps one may be closed under the next request.
      headers: { "content-type": "application/json", connection: "close", ...(key && { "x-api-key": key }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer<Body>["body"] };
  }

  avatarToken(room: string, options: Partial<TokenOptions> = {}): Promise<string> {
    const attributes = { "lk.publish_on_behalf": "agent" };
    return this.service.mint({ identity: this.avatar, room, kind: "agent", attributes, ...options });
  }

  /** A room with an agent and, when it comes to it, the avatar. */
  async meet(): Promise<Meeting> {
    const room = this.service.roomName();
    const agent = await this.agent(room);
    return new Meeting(this, room, agent);
  }

  async agent(room: string, identity = "agent", options: AgentOptions = {}): Promise<Agent> {
    const token = await this.service.mint({ identity, room, kind: "agent" });
    const agent = await Agent.enter(this.service.url, token, this.avatar, options);
    this.#open.push(agent.visitor);
    return agent;
  }

  async visitor(room: string, identity: string): Promise<Visitor> {
    const visitor = await Visitor.enter(this.service.url, await this.service.mint({ identity, room }));
    this.#open.push(visitor);
    return visitor;
  }

  status(key?: string): Promise<Answer<RoomStatus>> {
    return this.ask("GET", "/rtc/status", undefined, key);
  }

  /** After each test: everybody leaves and the box is free. */
  async clear(key?: string): Promise<void> {
    await this.ask("POST", "/rtc/leave", undefined, key);
    await this.everybodyLeaves();
    await until("free box", async () => (await this.status(key)).body.state === "free", 50);
  }

  /** All but the avatar. */
  async everybodyLeaves(): Promise<void> {
    for (const visitor of this.#open.splice(0)) await visitor.leave();
  }

  async close(): Promise<void> {
    await this.everybodyLeaves();
    await this.box?.stop();
    await this.service?.stop();
  }
}

export class Meeting {
  readonly venue: Venue;
  readonly room: string;
  readonly agent: Agent;

  constructor(venue: Venue, room: string, agent: Agent) {
    this.venue = venue;
    this.room = room;
    this.agent = agent;
  }

  async joinBody(extra: object = {}): Promise<object> {
    const { service } = this.venue;
    const token = await this.venue.avatarToken(this.room);
    return { rtc_url: service.url, rtc_token: token, room_name: this.room, ...extra };
  }

  /** @throws Error with the box's words when it refuses. */
  async join(extra: object = {}, key?: string): Promise<RoomJoinAnswer> {
    const body = await this.joinBody(extra);
    const answer = await this.venue.ask<RoomJoinAnswer>("POST", "/rtc/join", body, key);
    if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  leave(key?: string): Promise<Answer<{ left: boolean; room: string | null }>> {
    return this.venue.ask("POST", "/rtc/leave", { room_name: this.room }, key);
  }

  /** What the agent hears of the avatar, from one point on. */
  heard(from = 0): Sound[] {
    return this.agent.visitor.heard(this.venue.avatar).slice(from);
  }

  /** Everything of the avatar that is more than silence. */
  audible(from = 0): Sound[] {
    return this.heard(from).filter(audible);
  }

  /** Both of the avatar's tracks reach the agent. */
  async seen(): Promise<void> {
    await until("avatar's sound", () => this.heard().length > 0);
    await until("avatar's picture", () => this.agent.visitor.seen(this.venue.avatar).length > 0);
  }

  /** The avatar speaks. */
  async speaking(from = 0): Promise<void> {
    await until("speech of the avatar", () => this.audible(from).length > 10);
  }

  /** The agent is told of so many ended segments; returns the last. */
  finished(count: number): Promise<Finished> {
    return until(`end of segment ${count}`, () => this.agent.finished[count - 1]);
  }

  /**
   * Says something short and waits until it was played: whatever came of what went before has come by then.
   * @returns how many segments the agent had been told of before.
   */
  async settle(): Promise<number> {
    const length = 0.3;
    const told = this.agent.finished.length;
    await this.agent.say(seconds(length, 700));
    const isIt = ({ interrupted, playback_position }: Finished) =>
      !interrupted && Math.abs(playback_position - length) < 0.05;
    await until("end of a short segment", () => this.agent.finished.slice(told).some(isIt));
    return this.agent.finished.length - 1;
  }
}
