// Who is signed in, and the way out.

import { useId, useState } from "react";
import { asVisavisError } from "../sdk/index.ts";
import { SignOutIcon } from "../ui/icons.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { toasts } from "../ui/toasts.ts";
import "./account-menu.css";

export interface AccountMenuProps {
  email: string;
  admin: boolean;
  /** Rejects with `VisavisError` when it did not work. */
  onSignOut(): Promise<void>;
}

export function AccountMenu({ email, admin, onSignOut }: AccountMenuProps) {
  const [leaving, setLeaving] = useState(false);
  const id = useId();

  async function signOut() {
    setLeaving(true);
    try {
      await onSignOut();
    } catch (thrown) {
      setLeaving(false);
      toasts.show(`You are still signed in. ${asVisavisError(thrown).message}`, "problem");
    }
  }

  return (
    <div className="account">
      <button type="button" className="account-button" popoverTarget={id}>
        <span className="account-initial" aria-hidden="true">
          {email.charAt(0).toUpperCase()}
        </span>
        <span className="visually-hidden">Account: </span>
        <span className="account-email">{email}</span>
      </button>
      <div id={id} popover="auto" className="account-menu" role="group" aria-label="Account">
        <p>
          Signed in as
          <strong>{email}</strong>
          {admin && <span>Administrator</span>}
        </p>
        <button
          type="button"
          className="button button-quiet"
          disabled={leaving}
          onClick={() => void signOut()}
        >
          {leaving ? (
            <Spinner label="Signing out" visible />
          ) : (
            <>
              <SignOutIcon />
              Sign out
            </>
          )}
        </button>
      </div>
    </div>
  );
}
