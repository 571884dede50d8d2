import { Page } from "../shell/page.tsx";

export function AvatarsPage() {
  return (
    <Page title="Avatars">
      <p>This page is on its way.</p>
    </Page>
  );
}
