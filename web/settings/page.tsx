import { Page } from "../shell/page.tsx";

export function SettingsPage() {
  return (
    <Page title="Settings">
      <p>This page is on its way.</p>
    </Page>
  );
}
