// Who is here decides what is shown.

import { useCallback, useEffect, useState } from "react";
import { portal } from "./portal/portal.ts";
import { asVisavisError, type VisavisError } from "./sdk/index.ts";
import { SignInPage } from "./signin/sign-in-page.tsx";
import { Studio } from "./studio/studio.tsx";
import { Banner } from "./ui/banner.tsx";
import { Spinner } from "./ui/spinner.tsx";

type Visitor =
  | { state: "unknown" }
  | { state: "unreachable"; error: VisavisError }
  | { state: "guest" }
  | { state: "member"; email: string };

export function App() {
  const [visitor, setVisitor] = useState<Visitor>({ state: "unknown" });

  const look = useCallback(async () => {
    try {
      const me = await portal.me();
      setVisitor(me ? { state: "member", email: me.email } : { state: "guest" });
    } catch (thrown) {
      setVisitor({ state: "unreachable", error: asVisavisError(thrown) });
    }
  }, []);

  useEffect(() => {
    void look();
  }, [look]);

  if (visitor.state === "unknown") {
    return (
      <main className="page-centre">
        <Spinner label="Opening Visàvis" />
      </main>
    );
  }
  if (visitor.state === "unreachable") {
    return (
      <main className="page-centre">
        <Banner
          kind="error"
          title="Visàvis cannot be reached"
          action={{ label: "Try again", onAct: () => void look() }}
        >
          {visitor.error.message}
        </Banner>
      </main>
    );
  }
  if (visitor.state === "guest") return <SignInPage onReturn={look} />;
  return <Studio email={visitor.email} onSignedOut={() => setVisitor({ state: "guest" })} />;
}
