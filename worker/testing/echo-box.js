// A box as the front door sees it: it tells what it was sent, streams, and echoes sockets.

const encoder = new TextEncoder();

function ndjson() {
  const { readable, writable } = new TransformStream();
  const writer = writable.getWriter();
  const write = async () => {
    for (let line = 0; line < 3; line++) {
      await writer.write(encoder.encode(`${JSON.stringify({ line })}\n`));
      await scheduler.wait(20);
    }
    await writer.close();
  };
  return { response: new Response(readable, { headers: { "Content-Type": "application/x-ndjson" } }), write };
}

function echoSocket(request) {
  const [client, server] = Object.values(new WebSocketPair());
  server.accept();
  server.send(JSON.stringify({ url: request.url, cookie: request.headers.get("Cookie") }));
  server.addEventListener("message", ({ data }) => server.send(data));
  server.addEventListener("close", ({ code, reason }) => {
    // 1006 says that the peer vanished: there is nobody to close towards.
    if (code !== 1006) server.close(code, reason);
  });
  return new Response(null, { status: 101, webSocket: client });
}

export default {
  async fetch(request, _env, context) {
    const url = new URL(request.url);
    if (request.headers.get("Upgrade") === "websocket") return echoSocket(request);
    if (url.pathname === "/api/chat") {
      await request.arrayBuffer();
      const { response, write } = ndjson();
      context.waitUntil(write());
      return response;
    }
    const bytes = (await request.arrayBuffer()).byteLength;
    if (url.hostname === "unreachable.test") return new Response("origin down", { status: 523 });
    const refused = url.searchParams.has("refuse");
    return Response.json(
      {
        host: url.hostname,
        path: url.pathname + url.search,
        method: request.method,
        bytes,
        headers: [...request.headers],
      },
      {
        status: refused ? 400 : 200,
        headers: {
          "Set-Cookie": "from-box=1",
          "Access-Control-Allow-Origin": "*",
          "Cache-Control": "private",
        },
      },
    );
  },
};
