import { VoicesIcon } from "../ui/icons.tsx";
import { useStore } from "../ui/store.ts";
import type { VoiceChoiceStore } from "./choice-store.ts";

/** Says which voice will speak, and opens the choice. */
export function VoiceButton({ choice, onOpen }: { choice: VoiceChoiceStore; onOpen(): void }) {
  const { picked } = useStore(choice);
  return (
    <button type="button" className="voice-button" aria-haspopup="dialog" onClick={onOpen}>
      <VoicesIcon />
      <span>
        <small>Voice</small>
        {picked?.name ?? "The usual one"}
      </span>
    </button>
  );
}
