// The boxes, for administrators.

import { useState } from "react";
import { limits } from "../../contract/limits.ts";
import { Page } from "../shell/page.tsx";
import { Banner } from "../ui/banner.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { LoadFailed } from "../ui/load-failed.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import { toasts } from "../ui/toasts.ts";
import { usePoll } from "../ui/use-poll.ts";
import { BoxCard } from "./box-card.tsx";
import { type BoxOrder, FleetStore } from "./fleet-store.ts";
import { StartBoxDialog } from "./start-box-dialog.tsx";
import "./fleet.css";

const refreshMs = 10_000;

const orders: Record<BoxOrder, { title: string; label: string; busy: string; text: string; done: string }> = {
  drain: {
    title: "Drain this box?",
    label: "Drain",
    busy: "Draining",
    text: "It finishes the session it serves and takes no other. You can undo this.",
    done: "takes no more sessions.",
  },
  undrain: {
    title: "Let this box take sessions again?",
    label: "Undrain",
    busy: "Undraining",
    text: "With its next heartbeat it may be given sessions again.",
    done: "may take sessions again.",
  },
  stop: {
    title: "Stop this box?",
    label: "Stop box",
    busy: "Stopping",
    text: "The machine is shut down. A session it serves breaks off.",
    done: "is being stopped.",
  },
};

export function FleetPage() {
  const [store] = useState(() => new FleetStore());
  const { status, error, boxes, generatedAt, lifecycleMissing } = useStore(store);
  const [starting, setStarting] = useState(false);
  const [asked, setAsked] = useState<{ boxId: string; order: BoxOrder } | null>(null);
  usePoll(store.refresh, refreshMs);

  const words = orders[asked?.order ?? "drain"];
  const fresh = boxes.filter((box) => box.fresh);
  const regions = [...new Set(boxes.map((box) => box.region).filter((region) => region !== ""))];
  return (
    <Page
      title="Fleet"
      lead={`Every box that has reported to this portal. A box that has been silent for ${limits.heartbeatFreshSeconds} seconds is given no sessions.`}
      actions={
        <button
          type="button"
          className="button button-primary"
          disabled={lifecycleMissing !== null}
          onClick={() => setStarting(true)}
        >
          <PlusIcon />
          Start a box
        </button>
      }
    >
      {lifecycleMissing !== null && (
        <Banner kind="notice" title="Boxes are started and stopped by hand here">
          {lifecycleMissing} Draining works all the same.
        </Banner>
      )}
      {error && (
        <LoadFailed title="The fleet cannot be read" error={error} onRetry={() => void store.refresh()} />
      )}
      {status === "loading" && (
        <div className="page-wait">
          <Spinner label="Reading the fleet" visible />
        </div>
      )}
      {status === "ready" && boxes.length === 0 && (
        <EmptyState title="No box has reported yet">
          A box appears here with its first heartbeat. Until one does, nobody can go live.
        </EmptyState>
      )}
      {boxes.length > 0 && (
        <>
          <dl className="fleet-sums">
            <div>
              <dt>Free</dt>
              <dd>{fresh.filter((box) => box.state === "free").length}</dd>
            </div>
            <div>
              <dt>In session</dt>
              <dd>{fresh.filter((box) => box.state === "busy").length}</dd>
            </div>
            <div>
              <dt>Draining</dt>
              <dd>{fresh.filter((box) => box.state === "draining").length}</dd>
            </div>
            <div>
              <dt>Silent</dt>
              <dd>{boxes.length - fresh.length}</dd>
            </div>
          </dl>
          <ul className="boxes" data-testid="boxes">
            {boxes.map((box) => (
              <BoxCard
                key={box.box_id}
                box={box}
                canStop={lifecycleMissing === null}
                onOrder={(order) => setAsked({ boxId: box.box_id, order })}
              />
            ))}
          </ul>
          {generatedAt !== null && (
            <p className="fleet-read">
              As of {new Date(generatedAt * 1000).toLocaleTimeString()}. Read anew every {refreshMs / 1000}{" "}
              seconds while you look.
            </p>
          )}
        </>
      )}
      <StartBoxDialog
        open={starting}
        regions={regions}
        onStart={async (region) => {
          const boxId = await store.start(region);
          toasts.show(`Box ${boxId} is starting in ${region}.`);
        }}
        onClose={() => setStarting(false)}
      />
      <ConfirmDialog
        open={asked !== null}
        title={words.title}
        confirmLabel={words.label}
        busyLabel={words.busy}
        danger={asked?.order === "stop"}
        onConfirm={async () => {
          if (!asked) return;
          await store.order(asked.boxId, asked.order);
          toasts.show(`${asked.boxId} ${words.done}`);
        }}
        onClose={() => setAsked(null)}
      >
        <p>
          <strong>{asked?.boxId}</strong>. {words.text}
        </p>
      </ConfirmDialog>
    </Page>
  );
}
