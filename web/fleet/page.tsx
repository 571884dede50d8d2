import { Page } from "../shell/page.tsx";

export function FleetPage() {
  return (
    <Page title="Fleet">
      <p>This page is on its way.</p>
    </Page>
  );
}
