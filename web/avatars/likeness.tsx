// An avatar's picture, or its base loop where there is no picture to be had, or its initial.

import { AlertIcon } from "../ui/icons.tsx";
import type { LibraryAvatar } from "../../contract/library.ts";
import { Spinner } from "../ui/spinner.tsx";
import type { Glimpse } from "./glimpses-store.ts";

export interface LikenessProps {
  avatar: LibraryAvatar;
  glimpse: Glimpse | undefined;
  /** The signed URL no longer works. */
  onLapsed(): void;
}

export function Likeness({ avatar, glimpse, onLapsed }: LikenessProps) {
  const waiting = avatar.state === "preparing";
  return (
    <span className={`likeness likeness-${avatar.state}`}>
      {glimpse?.picture ? (
        <img src={glimpse.picture} alt="" onError={onLapsed} />
      ) : glimpse?.loop ? (
        // A time in the address makes browsers show that frame, where they would show none before playback.
        <video src={`${glimpse.loop}#t=0.1`} muted playsInline preload="metadata" onError={onLapsed} />
      ) : (
        <span className="likeness-initial">{avatar.display_name.charAt(0)}</span>
      )}
      {waiting && <Spinner label="Being prepared" />}
      {avatar.state === "failed" && <AlertIcon />}
    </span>
  );
}
