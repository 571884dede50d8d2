// Session history: the list at `/sessions`, one session at `/sessions/<id>`.

import { useEffect, useState } from "react";
import { avatarsApi } from "../avatars/avatars-api.ts";
import { type AvatarNames, readAvatarNames } from "./avatar-names.ts";
import { idFromRest } from "../shell/rest.ts";
import type { PageComponentProps } from "../shell/page-props.ts";
import { SessionView } from "./session-view.tsx";
import { History } from "./history.tsx";
import { sessionsApi } from "./sessions-api.ts";
import { SessionsStore } from "./sessions-store.ts";

export function SessionsPage({ rest }: PageComponentProps) {
  // Outlives a look at one session, so that the loaded pages and the search are still there afterwards.
  const [store] = useState(() => new SessionsStore(sessionsApi));
  const [names, setNames] = useState<AvatarNames>(new Map());
  useEffect(() => {
    let current = true;
    const read = async () => {
      const known = await readAvatarNames(avatarsApi);
      if (current) setNames(known);
    };
    void read();
    return () => {
      current = false;
    };
  }, []);
  const id = idFromRest(rest);
  return id === "" ? (
    <History store={store} names={names} />
  ) : (
    <SessionView key={id} id={id} sessions={store} names={names} />
  );
}
