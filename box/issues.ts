import type { z } from "zod";

/** What is wrong with a body, in one sentence that names the field. */
export function describeIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return "The body is not what this route takes.";
  const where = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.slice(0, 5).map((key) => JSON.stringify(key.slice(0, 60)));
    const inside = where === "" ? "" : ` in ${where}`;
    return `Unknown field${names.length > 1 ? "s" : ""} ${names.join(", ")}${inside}.`;
  }
  return where === "" ? `${issue.message}.` : `${where}: ${issue.message}.`;
}
