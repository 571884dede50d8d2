import { StarIcon } from "../ui/icons.tsx";

export interface StarButtonProps {
  starred: boolean;
  /** What is starred, for those who hear the page. */
  name: string;
  onToggle(): void;
}

export function StarButton({ starred, name, onToggle }: StarButtonProps) {
  return (
    <button
      type="button"
      className="icon-button star"
      aria-pressed={starred}
      aria-label={`Star ${name}`}
      title={starred ? "Remove the star" : "Star"}
      onClick={onToggle}
    >
      <StarIcon />
    </button>
  );
}
