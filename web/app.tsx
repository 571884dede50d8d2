// Who is here decides what is shown.

import { useEffect, useState } from "react";
import { VisitorStore } from "./portal/visitor-store.ts";
import { rememberPath } from "./shell/return-path.ts";
import { Shell } from "./shell/shell.tsx";
import { SignInPage } from "./signin/sign-in-page.tsx";
import { Banner } from "./ui/banner.tsx";
import { Spinner } from "./ui/spinner.tsx";
import { useStore } from "./ui/store.ts";

export function App() {
  const [store] = useState(() => new VisitorStore());
  const { visitor } = useStore(store);

  useEffect(() => {
    void store.look();
    return store.watchExpiry();
  }, [store]);

  useEffect(() => {
    if (visitor.state === "guest" && visitor.why !== "left") rememberPath(location.pathname, localStorage);
  }, [visitor]);

  switch (visitor.state) {
    case "unknown":
      return (
        <main className="page-centre">
          <Spinner label="Opening Visàvis" />
        </main>
      );
    case "unreachable":
      return (
        <main className="page-centre">
          <Banner
            kind="error"
            title="Visàvis cannot be reached"
            action={{ label: "Try again", onAct: () => void store.look() }}
          >
            {visitor.error.message}
          </Banner>
        </main>
      );
    case "guest":
      return <SignInPage sessionEnded={visitor.why === "expired"} onReturn={store.look} />;
    case "member":
      return <Shell key={visitor.email} me={visitor} visitor={store} />;
  }
}
