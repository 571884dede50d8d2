import { describe, expect, it } from "vitest";
import { errorBody } from "../../contract/errors.ts";
import { asVisavisError, errorFromAnswer, VisavisError } from "./errors.ts";

describe("errorFromAnswer", () => {
  const failure = { code: "no_face", message: "No face was found." } as const;

  it("reads the structured and the unwrapped envelope as the contract writes them", () => {
    for (const envelope of ["structured", "unwrapped"] as const) {
      const error = errorFromAnswer({ status: 400, body: JSON.stringify(errorBody(envelope, failure)) });
      expect(error).toMatchObject({ code: "no_face", message: "No face was found.", status: 400 });
    }
  });

  it("makes a code of the status where the flat envelope has none", () => {
    const error = errorFromAnswer({ status: 400, body: JSON.stringify(errorBody("flat", failure)) });
    expect(error).toMatchObject({ code: "http_400", message: "No face was found." });
  });

  it.each(["<html>sign in</html>", "", "null", "[]", '{"error":{}}', '{"error":5,"message":7}'])(
    "gives a sentence for a body that says nothing: %j",
    (body) => {
      const error = errorFromAnswer({ status: 503, body });
      expect(error.code).toBe("http_503");
      expect(error.message).toBe("The service is not available right now.");
    },
  );

  it("reads Retry-After in seconds and ignores what is no number", () => {
    expect(errorFromAnswer({ status: 429, body: "", retryAfter: "7" }).retryAfterSeconds).toBe(7);
    const date = errorFromAnswer({ status: 429, body: "", retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT" });
    expect(date.retryAfterSeconds).toBeNull();
  });
});

describe("asVisavisError", () => {
  it("tells a cancelled request, a slow service and a missing one apart", () => {
    expect(asVisavisError(new DOMException("", "AbortError")).code).toBe("aborted");
    expect(asVisavisError(new DOMException("", "TimeoutError")).code).toBe("timeout");
    expect(asVisavisError(new TypeError("Failed to fetch")).code).toBe("network");
  });

  it("leaves its own errors alone", () => {
    const error = new VisavisError({ code: "x", message: "y" });
    expect(asVisavisError(error)).toBe(error);
  });
});
