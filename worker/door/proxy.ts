// Carrying one request to a box and its answer back: bodies stream both ways, sockets pass through.

/** Answers that Cloudflare's edge itself makes up when it cannot reach an origin. */
const unreachableStatuses = { from: 520, to: 530 } as const;

/** What the box has no business seeing: the portal's cookie, and headers that speak of the outer connection. */
const withheld = ["Cookie", "Host", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"];

export interface Passage {
  request: Request;
  /** Origin of the box. */
  origin: string;
  requestId: string;
}

/** The box's answer; null when the box cannot be reached. */
export async function passOn({ request, origin, requestId }: Passage): Promise<Response | null> {
  const target = new URL(origin);
  ({ pathname: target.pathname, search: target.search } = new URL(request.url));
  const headers = new Headers(request.headers);
  for (const name of withheld) headers.delete(name);
  // The key was what let the request in: a bearer beside it was not looked at, and may be an identity token.
  if (headers.has("X-Api-Key")) headers.delete("Authorization");
  headers.set("X-Request-Id", requestId);
  let response: Response;
  try {
    response = await fetch(target, {
      method: request.method,
      headers,
      body: request.body,
      redirect: "manual",
    });
  } catch {
    return null;
  }
  if (response.status >= unreachableStatuses.from && response.status <= unreachableStatuses.to) {
    await response.body?.cancel();
    return null;
  }
  if (response.webSocket) {
    const { webSocket } = response;
    return new Response(null, { status: 101, webSocket, headers: response.headers });
  }
  const answer = new Response(response.body, response);
  // A cookie of a box would become a cookie of the portal.
  answer.headers.delete("Set-Cookie");
  return answer;
}
