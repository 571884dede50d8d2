// The avatars: all of them at `/avatars`, one at `/avatars/<id>`, and making a portrait at `/avatars/new`.

import { useEffect, useState } from "react";
import { UploadDialog } from "../faces/upload-dialog.tsx";
import { NewPortraitPage } from "../portraits/page.tsx";
import { UseDialog } from "../portraits/use-dialog.tsx";
import { idFromRest } from "../shell/rest.ts";
import type { PageComponentProps } from "../shell/page-props.ts";
import { useRouter } from "../shell/routing.tsx";
import { AvatarDetail } from "./detail.tsx";
import { EraseDialog } from "./erase-dialog.tsx";
import { Gallery } from "./gallery.tsx";
import { type AvatarParts, openAvatars } from "./open-avatars.ts";
import { PublishDialog } from "./publish-dialog.tsx";

export function AvatarsPage({ rest }: PageComponentProps) {
  const router = useRouter();
  const [parts, setParts] = useState<AvatarParts | null>(null);
  useEffect(() => {
    const opened = openAvatars();
    setParts(opened);
    return opened.close;
  }, []);
  if (!parts) return null;
  const id = idFromRest(rest);
  return (
    <>
      {rest === "" ? (
        <Gallery parts={parts} />
      ) : rest === "new" ? (
        <NewPortraitPage parts={parts} />
      ) : (
        <AvatarDetail key={id} id={id} parts={parts} />
      )}
      <PublishDialog store={parts.publishing} />
      <EraseDialog store={parts.erasure} onGone={() => router.navigate("/avatars")} />
      <UseDialog store={parts.use} />
      <UploadDialog store={parts.upload} />
    </>
  );
}
