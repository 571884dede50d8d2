// Signing in: two profiles, and between them one question.

import { type FormEvent, useEffect, useState } from "react";
import { profileBox, profilePath } from "../ui/profile.ts";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import { Wordmark } from "../ui/wordmark.tsx";
import { SignInStore } from "./sign-in-store.ts";
import "./sign-in.css";

/** Reads and clears the mark that the portal leaves in the address after a used or expired link. */
function takeExpired(): boolean {
  const expired = new URLSearchParams(location.search).get("signin") === "expired";
  if (expired) history.replaceState(null, "", location.pathname);
  return expired;
}

function Profiles() {
  const box = `0 ${profileBox.top} ${profileBox.width} ${profileBox.height}`;
  return (
    <div className="profiles" aria-hidden="true">
      {["profile-left", "profile-right"].map((side) => (
        <svg key={side} className={side} viewBox={box} preserveAspectRatio="xMidYMid meet" focusable="false">
          <path d={profilePath} />
        </svg>
      ))}
    </div>
  );
}

function AskForm({ store, notice }: { store: SignInStore; notice: string | null }) {
  const state = useStore(store);
  const sending = state.step === "sending";
  function submit(event: FormEvent) {
    event.preventDefault();
    void store.request();
  }
  const problem = state.error ?? notice;
  return (
    <form onSubmit={submit} noValidate>
      <h1>Face to face.</h1>
      <p className="lede">Give your words a face that listens, answers, and looks at you.</p>
      <label className="field">
        <span>E-mail address</span>
        <input
          type="email"
          name="email"
          autoComplete="email"
          inputMode="email"
          placeholder="you@example.com"
          value={state.email}
          aria-invalid={state.error !== null}
          aria-describedby={problem ? "sign-in-problem" : undefined}
          onChange={(event) => store.setEmail(event.target.value)}
        />
      </label>
      {problem && (
        <p id="sign-in-problem" className="field-problem" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" className="button button-primary button-large" disabled={sending}>
        {sending ? <Spinner label="Sending" visible /> : "Send sign-in link"}
      </button>
      <p className="fine-print">No password. We send a link that works once.</p>
    </form>
  );
}

function LinkSent({ store }: { store: SignInStore }) {
  const { message, email, link } = useStore(store);
  return (
    <div className="link-sent" role="status">
      <h1>Look in your inbox.</h1>
      <p className="lede">{message}</p>
      {link && (
        <a className="button button-primary button-large" href={link}>
          Open the sign-in link
        </a>
      )}
      <p className="fine-print">
        For {email}.{" "}
        <button type="button" className="link-button" onClick={store.startOver}>
          Use another address
        </button>
      </p>
    </div>
  );
}

export interface SignInPageProps {
  /** The person was signed in a moment ago, and did not leave by choice. */
  sessionEnded: boolean;
  /** Called when the person comes back to this tab, perhaps having opened the link in another. */
  onReturn(): Promise<void>;
}

function noticeFor(linkExpired: boolean, sessionEnded: boolean): string | null {
  if (sessionEnded) return "You have been signed out. Sign in again to go on.";
  return linkExpired ? "That link has been used or has expired. Ask for a new one." : null;
}

export function SignInPage({ sessionEnded, onReturn }: SignInPageProps) {
  const [store] = useState(() => new SignInStore());
  const [expired] = useState(takeExpired);
  const { step } = useStore(store);
  useEffect(() => {
    document.title = "Sign in · Visàvis";
  }, []);
  useEffect(() => {
    if (step !== "sent") return;
    const look = () => {
      if (document.visibilityState === "visible") void onReturn();
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [step, onReturn]);
  return (
    <div className="sign-in">
      <Profiles />
      <header>
        <Wordmark />
      </header>
      <main>
        {step === "sent" ? (
          <LinkSent store={store} />
        ) : (
          <AskForm store={store} notice={noticeFor(expired, sessionEnded)} />
        )}
      </main>
    </div>
  );
}
