import { Page } from "../shell/page.tsx";

export function VoicesPage() {
  return (
    <Page title="Voices">
      <p>This page is on its way.</p>
    </Page>
  );
}
