import { expect, test } from "vitest";
import { isPrivateHost } from "./endpoints.ts";

const host = (text: string) => new URL(`https://${text}/`).hostname;

const privateHosts = [
  "localhost",
  "api.localhost",
  "printer.local",
  "metadata.google.internal",
  "intranet",
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f.0.0.1",
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "[::1]",
  "[::]",
  "[fe80::1]",
  "[fc00::1]",
  "[::ffff:127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2001:db8::1]",
  "[2002:7f00:1::]",
  "[ff02::1]",
  "[3fff::1]",
  "[3fff:fff::1]",
  "192.88.99.1",
  "localhost.",
  "localhost..",
  "localhost...",
  "127.0.0.1.",
  "127.0.0.1..",
  "127.1..",
  "api..example.com",
  "box.localdomain",
  "nas.home",
  "git.corp",
  "wiki.intranet",
  "db.private",
  "post.mail",
  "router.lan.",
  "hub.home.arpa",
];

const publicHosts = [
  "api.example.com",
  "api.example.com.",
  "home.example.com",
  "localdomain.example.com",
  "mylocal.network",
  "8.8.8.8",
  "192.88.98.1",
  "172.32.0.1",
  "100.128.0.1",
  "[2606:4700:4700::1111]",
  "[2001:4860::8888]",
  "[3fff:1000::1]",
];

test("private hosts are told from public ones, however they are written", () => {
  for (const text of privateHosts) expect([text, isPrivateHost(host(text))]).toEqual([text, true]);
  for (const text of publicHosts) expect([text, isPrivateHost(host(text))]).toEqual([text, false]);
});
