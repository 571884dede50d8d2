import { Page } from "../shell/page.tsx";

export function KeysPage() {
  return (
    <Page title="Keys">
      <p>This page is on its way.</p>
    </Page>
  );
}
