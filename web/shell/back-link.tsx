import type { ReactNode } from "react";
import { BackIcon } from "../ui/icons.tsx";
import { Link } from "./routing.tsx";
import "./back-link.css";

/** Above a page's heading: the way up to the list it belongs to. */
export function BackLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link className="back-link" href={href}>
      <BackIcon />
      {children}
    </Link>
  );
}
