// Line icons on a 24-unit grid, decorative: the control around one carries the name.

import type { ReactNode } from "react";

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

export const SendIcon = () => (
  <Icon>
    <path d="M12 19V5.5M6 11l6-6 6 6" />
  </Icon>
);

export const StopIcon = () => (
  <Icon>
    <rect x="7" y="7" width="10" height="10" rx="2" fill="currentColor" />
  </Icon>
);

export const SoundOnIcon = () => (
  <Icon>
    <path d="M4.5 9.5v5H8l4.5 4v-13l-4.5 4zM16 9a4.2 4.2 0 0 1 0 6M18.6 6.5a8 8 0 0 1 0 11" />
  </Icon>
);

export const SoundOffIcon = () => (
  <Icon>
    <path d="M4.5 9.5v5H8l4.5 4v-13l-4.5 4zM16.5 9.5l5 5M21.5 9.5l-5 5" />
  </Icon>
);

export const CaptionsIcon = () => (
  <Icon>
    <rect x="3" y="5.5" width="18" height="13" rx="3" />
    <path d="M7 12h4M14 12h3M7 15h2.5M12.5 15H17" />
  </Icon>
);

export const EndIcon = () => (
  <Icon>
    <path d="M3.5 14.8c4.7-4.4 12.3-4.4 17 0l-2.3 2.5-3.4-1.5v-2.7a11 11 0 0 0-5.6 0v2.7l-3.4 1.5z" />
  </Icon>
);

export const PlusIcon = () => (
  <Icon>
    <path d="M12 5.5v13M5.5 12h13" />
  </Icon>
);

export const CloseIcon = () => (
  <Icon>
    <path d="M6.5 6.5l11 11M17.5 6.5l-11 11" />
  </Icon>
);

export const CheckIcon = () => (
  <Icon>
    <path d="M5.5 12.5l4.2 4.2 8.8-9.2" />
  </Icon>
);

export const AlertIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 7.8v5M12 16v.1" />
  </Icon>
);

export const InfoIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 11v5M12 8v.1" />
  </Icon>
);
