// A page that breaks takes nothing else with it: the way around stays, and so does a live session.

import { Component, type ReactNode } from "react";
import { Banner } from "../ui/banner.tsx";

interface BoundaryState {
  failed: boolean;
}

export class PageBoundary extends Component<{ children: ReactNode }, BoundaryState> {
  override state: BoundaryState = { failed: false };

  static getDerivedStateFromError(): BoundaryState {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="page">
        <Banner
          kind="error"
          title="This page could not be shown"
          action={{ label: "Reload", onAct: () => location.reload() }}
        >
          It may be that Visàvis was updated since you opened it. Reloading ends a live session.
        </Banner>
      </div>
    );
  }
}
