import type { VisavisError } from "../sdk/index.ts";
import { Banner } from "./banner.tsx";

/** A listing that did not come: what could not be fetched, the service's sentence, and another try. */
export function LoadFailed({
  title,
  error,
  onRetry,
}: {
  title: string;
  error: VisavisError;
  onRetry(): void;
}) {
  return (
    <Banner kind="error" title={title} action={{ label: "Try again", onAct: onRetry }}>
      {error.message}
    </Banner>
  );
}
