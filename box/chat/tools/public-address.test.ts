import { createSocket } from "node:dgram";
import type { LookupAddress } from "node:dns";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import {
  ForbiddenAddressError,
  guardedLookup,
  isPublicAddress,
  mayConnect,
  resolveName,
  UnknownNameError,
} from "./public-address.ts";

const forbidden = [
  "0.0.0.0",
  "0.1.2.3",
  "10.1.2.3",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.2.7",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.9",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:0:8.8.8.8",
  "::127.0.0.1",
  "::8.8.8.8",
  "64:ff9b::7f00:1",
  "64:ff9b::808:808",
  "64:ff9b:1::a00:1",
  "100::1",
  "2001::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:808:808::1",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "2606:4700::1111%eth0",
  "",
  "localhost",
  "2130706433",
  "0x7f.1",
  "127.1",
];
const open = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001::1"];

test("addresses of the public internet are told from all others, however they are written", () => {
  expect(forbidden.filter((address) => isPublicAddress(address))).toEqual([]);
  expect(open.filter((address) => !isPublicAddress(address))).toEqual([]);
});

test("a host written as an address is judged before anything is resolved", () => {
  const hosts = (text: string) => new URL(text).hostname;
  for (const url of [
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://[::ffff:7f00:1]/",
  ])
    expect([url, mayConnect(hosts(url), {})]).toEqual([url, false]);
  for (const url of ["https://8.8.8.8/", "https://[2606:4700::1111]/", "https://localhost/"])
    expect([url, mayConnect(hosts(url), {})]).toEqual([url, true]);
});

function look(
  answers: string[],
  all: boolean,
): Promise<{ error: Error | null; address: string | LookupAddress[]; family: number | undefined }> {
  const resolve = () =>
    Promise.resolve(answers.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));
  return new Promise((done) => {
    guardedLookup({ resolve })("tools.example", { all }, (error, address, family) =>
      done({ error, address, family }),
    );
  });
}

test("a name is judged by all of its addresses", async () => {
  expect(await look(["8.8.8.8", "2606:4700::1111"], true)).toEqual({
    error: null,
    address: [
      { address: "8.8.8.8", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ],
    family: undefined,
  });
  expect(await look(["8.8.8.8", "1.1.1.1"], false)).toEqual({ error: null, address: "8.8.8.8", family: 4 });
  for (const all of [true, false]) {
    expect((await look(["8.8.8.8", "10.0.0.1"], all)).error).toBeInstanceOf(ForbiddenAddressError);
    expect((await look([], all)).error).toBeInstanceOf(UnknownNameError);
  }
});

test("a resolver that fails is a failed look-up", async () => {
  const gone = Object.assign(new Error("queryA EREFUSED secret.example"), { code: "EREFUSED" });
  const error = await new Promise((done) => {
    guardedLookup({ resolve: () => Promise.reject(gone) })("x", { all: true }, done);
  });
  expect(error).toBeInstanceOf(UnknownNameError);
  expect(String(error)).not.toContain("secret");
});

/** A name server that knows one name by heart; of every other name it says that there is none. */
async function startNameServer(name: string, records: { A: number[][]; AAAA: number[][] }) {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (question, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = question.readUInt8(at); length > 0; length = question.readUInt8(at)) {
      labels.push(question.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = question.readUInt16BE(at + 1);
    asked.push(labels.join("."));
    const known = labels.join(".").toLowerCase() === name;
    const addresses = known ? records[type === 1 ? "A" : "AAAA"] : [];
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.writeUInt32BE(0, 8);
    const answers = addresses.map((address) =>
      Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length, ...address]),
    );
    socket.send(Buffer.concat([header, question.subarray(12, at + 5), ...answers]), from.port, from.address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, "127.0.0.1", resolve);
  });
  const { port } = socket.address() as AddressInfo;
  return { server: `127.0.0.1:${port}`, asked, close: () => socket.close() };
}

test("names are asked of the name servers: all addresses of both families", async () => {
  const names = await startNameServer("tools.example", {
    A: [
      [8, 8, 8, 8],
      [127, 0, 0, 1],
    ],
    AAAA: [[0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11]],
  });
  try {
    expect(await resolveName("tools.example", [names.server])).toEqual([
      { address: "8.8.8.8", family: 4 },
      { address: "127.0.0.1", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ]);
    expect(await resolveName("nobody.example", [names.server])).toEqual([]);
    expect(new Set(names.asked)).toEqual(new Set(["tools.example", "nobody.example"]));
  } finally {
    names.close();
  }
});
