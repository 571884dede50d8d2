// An HTTPS server of a test's own, with a certificate that nobody else trusts.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Certificate {
  key: string;
  cert: string;
}

/** A self-signed certificate for a name. */
export async function certificateFor(name: string): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), "visavis-certificate-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  try {
    const command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2".split(" ");
    const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
    await promisify(execFile)("openssl", [...command, ...subject, "-keyout", key, "-out", cert]);
    return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export interface HttpsTestServer {
  port: number;
  received: Received[];
  /** Connections that were ever made to it. */
  readonly connections: number;
  /** Answers from now on. */
  answer: (response: ServerResponse, request: Received) => void;
  close(): Promise<void>;
}

/** Listens on a free port of an address of this machine. */
export async function startHttpsServer(
  certificate: Certificate,
  { host = "127.0.0.1", port = 0 } = {},
): Promise<HttpsTestServer> {
  let connections = 0;
  const server = createServer(certificate, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const { method = "", url: path = "", headers } = request;
      const received = { method, path, headers, body };
      tested.received.push(received);
      tested.answer(response, received);
    });
    // Whoever hangs up is none of the server's business.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
  });
  server.on("connection", () => connections++);
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const tested: HttpsTestServer = {
    port: (server.address() as AddressInfo).port,
    received: [],
    get connections() {
      return connections;
    },
    answer: (response) => response.end("ok"),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return tested;
}
