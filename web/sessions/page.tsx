import { Page } from "../shell/page.tsx";

export function SessionsPage() {
  return (
    <Page title="Sessions">
      <p>This page is on its way.</p>
    </Page>
  );
}
