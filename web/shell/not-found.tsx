import { studioPage } from "./pages.tsx";
import { Page } from "./page.tsx";
import { Link } from "./routing.tsx";

export function NotFoundPage() {
  return (
    <Page title="There is nothing here" lead="The address may be mistyped, or what was here is gone.">
      <p>
        <Link className="button button-primary" href={studioPage.path}>
          Go to the studio
        </Link>
      </p>
    </Page>
  );
}
