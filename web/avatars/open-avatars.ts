// What the avatars pages consist of, apart from how they look.

import { erasedFaces } from "../faces/erased-faces.ts";
import { FacesStore } from "../faces/faces-store.ts";
import { UploadStore } from "../faces/upload-store.ts";
import { stillsOfBox } from "../portraits/box-stills.ts";
import { portraitsApi } from "../portraits/portraits-api.ts";
import { PortraitsStore } from "../portraits/portraits-store.ts";
import { StillStore } from "../portraits/still-store.ts";
import { UseStore } from "../portraits/use-store.ts";
import { portal } from "../portal/portal.ts";
import { createClient } from "../sdk/index.ts";
import { toasts } from "../ui/toasts.ts";
import { avatarsApi } from "./avatars-api.ts";
import { ErasureStore } from "./erasure-store.ts";
import { GlimpsesStore } from "./glimpses-store.ts";
import { LibraryStore } from "./library-store.ts";
import { PublishingStore } from "./publishing-store.ts";

export function openAvatars() {
  const client = createClient({ getCredential: () => portal.sessionCredential() });
  const library = new LibraryStore(avatarsApi);
  const faces = new FacesStore(client);
  const onAccepted = (id: string, name: string) => {
    faces.watch(id, name);
    library.expect(id);
  };
  const upload = new UploadStore({
    client,
    attest: portraitsApi.attest,
    onAccepted,
    onRetried: () => void faces.refresh(),
    onReady: (id) => {
      const face = faces.get().faces.find((candidate) => candidate.id === id);
      toasts.show(`${face?.name ?? "The face"} is ready.`);
      void library.refresh();
    },
  });
  const stills = stillsOfBox(portraitsApi, client);
  const use = new UseStore({ api: stills, client, onAccepted });
  const still = new StillStore({ api: stills });
  const glimpses = new GlimpsesStore(avatarsApi);
  const stopFollowing = faces.subscribe(() => upload.follow(faces.get().faces));
  const stopWatching = library.watch();
  return {
    client,
    library,
    upload,
    use,
    still,
    portraits: new PortraitsStore(portraitsApi),
    glimpses,
    publishing: new PublishingStore({ api: avatarsApi, onRecord: library.adopt }),
    erasure: new ErasureStore({
      api: avatarsApi,
      onErased: (id) => {
        library.forget(id);
        erasedFaces.add(id);
      },
    }),
    close(): void {
      stopWatching();
      stopFollowing();
      upload.close();
      use.close();
      still.reset();
      stills.free();
      glimpses.dispose();
      faces.dispose();
    },
  };
}

export type AvatarParts = ReturnType<typeof openAvatars>;
