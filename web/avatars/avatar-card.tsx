import { useEffect } from "react";
import type { LibraryAvatar } from "../../contract/library.ts";
import { Link } from "../shell/routing.tsx";
import { Badge } from "../ui/badge.tsx";
import type { Glimpse } from "./glimpses-store.ts";
import { Likeness } from "./likeness.tsx";
import { useVisible } from "./use-visible.ts";
import { sourceWords, toneName } from "./words.ts";

export function StateBadge({ avatar }: { avatar: LibraryAvatar }) {
  if (avatar.state === "preparing") return <Badge tone="wait">Preparing</Badge>;
  if (avatar.state === "failed") return <Badge tone="bad">Failed</Badge>;
  return <Badge tone="good">Ready</Badge>;
}

function tonesLine({ tones }: Glimpse): string | null {
  if (!tones || tones.length === 0) return null;
  return tones.length > 3 ? `${tones.length} tones` : tones.map(toneName).join(", ");
}

export interface AvatarCardProps {
  avatar: LibraryAvatar;
  mine: boolean;
  /** On the public list, where every avatar is public but not every one is mine. */
  inPublic: boolean;
  glimpse: Glimpse | undefined;
  /** Called with every rendering while in sight. */
  onVisible(): void;
  onLapsed(): void;
}

export function AvatarCard({ avatar, mine, inPublic, glimpse, onVisible, onLapsed }: AvatarCardProps) {
  const { element, visible } = useVisible<HTMLLIElement>();
  useEffect(() => {
    if (visible) onVisible();
  });
  const tones = glimpse ? tonesLine(glimpse) : null;
  const facts = [sourceWords[avatar.source_kind], avatar.prepared_in_region, tones].filter(Boolean);
  return (
    <li ref={element} className="avatar-card">
      <Likeness avatar={avatar} glimpse={glimpse} onLapsed={onLapsed} />
      <h2>
        <Link href={`/avatars/${encodeURIComponent(avatar.avatar_id)}`}>{avatar.display_name}</Link>
      </h2>
      <p className="avatar-card-badges">
        <StateBadge avatar={avatar} />
        {inPublic && mine && <Badge tone="accent">Yours</Badge>}
        {!inPublic && avatar.visibility === "public" && <Badge tone="accent">Public</Badge>}
      </p>
      {avatar.state === "failed" ? (
        <p className="avatar-card-detail">{avatar.detail || "This face could not be prepared."}</p>
      ) : (
        <p className="avatar-card-facts">
          {facts.map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </p>
      )}
    </li>
  );
}
