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

export const StudioIcon = () => (
  <Icon>
    <rect x="3" y="6" width="12.5" height="12" rx="3" />
    <path d="M15.5 10.5l5.5-3v9l-5.5-3" />
  </Icon>
);

export const AvatarsIcon = () => (
  <Icon>
    <circle cx="12" cy="8.2" r="4.2" />
    <path d="M4.5 20c.8-4 3.8-6 7.5-6s6.7 2 7.5 6" />
  </Icon>
);

export const SessionsIcon = () => (
  <Icon>
    <path d="M4.2 12a7.9 7.9 0 1 0 2.6-5.8M4 4.5v3.7h3.7M12 7.8v4.4l3 1.9" />
  </Icon>
);

export const VoicesIcon = () => (
  <Icon>
    <path d="M4 10v4M8 6.5v11M12 9v6M16 4.5v15M20 10v4" />
  </Icon>
);

export const KeysIcon = () => (
  <Icon>
    <circle cx="8" cy="15.5" r="4" />
    <path d="M11 12.7L19.5 4.2M15.5 8.2l3 3M18 5.7l2 2" />
  </Icon>
);

export const SettingsIcon = () => (
  <Icon>
    <path d="M4 7h9M18.5 7H20M4 17h2M11.5 17H20" />
    <circle cx="15.7" cy="7" r="2.5" />
    <circle cx="8.7" cy="17" r="2.5" />
  </Icon>
);

export const FleetIcon = () => (
  <Icon>
    <rect x="3.5" y="4.5" width="17" height="6.5" rx="2" />
    <rect x="3.5" y="13" width="17" height="6.5" rx="2" />
    <path d="M7.2 7.75v.1M7.2 16.25v.1M11 7.75h5.5M11 16.25h5.5" />
  </Icon>
);

export const CopyIcon = () => (
  <Icon>
    <rect x="8.5" y="8.5" width="11.5" height="11.5" rx="2.5" />
    <path d="M15.5 5.5a2 2 0 0 0-2-2h-7.5a2.5 2.5 0 0 0-2.5 2.5v7.5a2 2 0 0 0 2 2" />
  </Icon>
);

export const TrashIcon = () => (
  <Icon>
    <path d="M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.9 12.5h9.2l.9-12.5M10.2 10.5v5.5M13.8 10.5v5.5" />
  </Icon>
);

export const RefreshIcon = () => (
  <Icon>
    <path d="M19.5 12a7.5 7.5 0 1 1-2.3-5.4M19.7 4v3.8h-3.8" />
  </Icon>
);

export const SearchIcon = () => (
  <Icon>
    <circle cx="11" cy="11" r="6.5" />
    <path d="M15.8 15.8l4.2 4.2" />
  </Icon>
);

export const ChevronIcon = () => (
  <Icon>
    <path d="M7 10l5 5 5-5" />
  </Icon>
);

export const SignOutIcon = () => (
  <Icon>
    <path d="M14 4.5H7a2.5 2.5 0 0 0-2.5 2.5v10a2.5 2.5 0 0 0 2.5 2.5h7M10.5 12h9.5M16.5 8.5L20 12l-3.5 3.5" />
  </Icon>
);

export const PlayIcon = () => (
  <Icon>
    <path d="M8.5 6v12l9.5-6z" fill="currentColor" />
  </Icon>
);

export const StarIcon = () => (
  <Icon>
    <path d="M12 4.2l2.4 5 5.4.7-4 3.7 1 5.4-4.8-2.6L7.2 19l1-5.4-4-3.7 5.4-.7z" />
  </Icon>
);

export const BackIcon = () => (
  <Icon>
    <path d="M19 12H5.5M11 6l-6 6 6 6" />
  </Icon>
);

export const SparkIcon = () => (
  <Icon>
    <path d="M12 4.5c.6 4.3 2.7 6.4 7 7-4.3.6-6.4 2.7-7 7-.6-4.3-2.7-6.4-7-7 4.3-.6 6.4-2.7 7-7z" />
  </Icon>
);

export const RecordingIcon = () => (
  <Icon>
    <rect x="3.5" y="6.5" width="12" height="11" rx="2.5" />
    <path d="M15.5 11l5-3v8l-5-3z" />
  </Icon>
);

export const ClockIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 7.5v4.5l3 2" />
  </Icon>
);

export const MicrophoneIcon = () => (
  <Icon>
    <rect x="9" y="3.5" width="6" height="11" rx="3" />
    <path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v2.5" />
  </Icon>
);

export const MicrophoneOffIcon = () => (
  <Icon>
    <path d="M15 10.5v-4a3 3 0 0 0-5.8-1M9 9v2.5a3 3 0 0 0 4.4 2.7M5.5 11.5a6.5 6.5 0 0 0 10.4 5.2M18.5 11.5a6.4 6.4 0 0 1-.6 2.6M12 18v2.5M4.5 3.5l15 17" />
  </Icon>
);

export const ToolIcon = () => (
  <Icon>
    <path
      d="M14.5 6.8a4.2 4.2 0 0 1 5.3-1.1l-2.9 2.9.5 2 2 .5 2.9-2.9a4.2 4.2 0 0 1-5.9 5L9.5 20a2.1 2.1 0 0 1-3-3l6.8-6.8a4.2 4.2 0 0 1 1.2-3.4z"
      transform="translate(-1.2 .2)"
    />
  </Icon>
);
