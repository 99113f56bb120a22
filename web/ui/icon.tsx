// Icons as lines on a grid of 24 units, and buttons with an icon alone. Icons are decoration: such a button has a label,
// which is also its tooltip.

const lines = {
  archive: 'M3 7h18M5 7v12h14V7M10 11h4',
  api: 'M8 6l-5 6 5 6M16 6l5 6-5 6',
  attach: 'M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7l-8.5 8.4a1.6 1.6 0 0 1-2.3-2.3L14.5 7',
  book: 'M5 5a2 2 0 0 1 2-2h12v18H7a2 2 0 0 1-2-2zM5 18a2 2 0 0 1 2-2h12',
  chat: 'M4 5h16v11H10l-4 4v-4H4z',
  check: 'M5 13l4 4L19 7',
  close: 'M6 6l12 12M18 6L6 18',
  compare: 'M4 5h7v14H4zM13 5h7v14h-7z',
  connect: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  down: 'M12 5v14M6 13l6 6 6-6',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  folder: 'M3 6h6l2 3h10v10H3z',
  eye: 'M2 12c5-8 15-8 20 0-5 8-15 8-20 0zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  gear: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM10 3h4l.6 2.6 2.3 1.3 2.5-.8 2 3.4-1.9 1.8v1.4l1.9 1.8-2 3.4-2.5-.8-2.3 1.3L14 21h-4l-.6-2.6-2.3-1.3-2.5.8-2-3.4 1.9-1.8v-1.4L2.6 9.5l2-3.4 2.5.8 2.3-1.3z',
  key: 'M15 4a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11.5 12.5L4 20v-3M7 17l2 2',
  keyboard: 'M3 6h18v12H3zM7 10h0M10.5 10h0M14 10h0M17.5 10h0M8 14h8',
  left: 'M15 6l-6 6 6 6',
  link: 'M10 14a4 4 0 0 0 5.7 0l3.2-3.2a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0l-3.2 3.2a4 4 0 0 0 5.7 5.7l1.2-1.2',
  hidden:
    'M4 4l16 16M9.5 5.5A9 9 0 0 1 12 5c6 0 9 7 9 7a14 14 0 0 1-2.6 3.5M6.5 7.5A14 14 0 0 0 3 12s3 7 9 7a9 9 0 0 0 3.5-.7',
  menu: 'M4 7h16M4 12h16M4 17h16',
  microphone: 'M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM5 11a7 7 0 0 0 14 0M12 18v3M8 21h8',
  models: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  more: 'M5.5 12h1M11.5 12h1M17.5 12h1',
  now: 'M3 12h4l3 7 4-14 3 7h4',
  pause: 'M8 5v14M16 5v14',
  pin: 'M9 3h6l-1 6 4 4H6l4-4zM12 13v8',
  play: 'M8 5l11 7-11 7z',
  plus: 'M12 5v14M5 12h14',
  refresh: 'M20 12a8 8 0 1 1-2.3-5.7L20 8M20 3v5h-5',
  right: 'M9 6l6 6-6 6',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4',
  send: 'M12 19V5M6 11l6-6 6 6',
  unload: 'M12 4l7 9H5zM5 19h14',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M14 5v4M8 15v4',
  sound: 'M4 9v6h4l5 4V5L8 9zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11',
  stop: 'M7 7h10v10H7z',
  tool: 'M14 6a4 4 0 0 0 5 5l-8 8a2 2 0 0 1-3-3l8-8',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
} as const;

export type IconName = keyof typeof lines;

/** Icons that point along a line of text. */
const directed: readonly IconName[] = ['left', 'right', 'play'];

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={directed.includes(name) ? 'icon directed' : 'icon'} viewBox="0 0 24 24" aria-hidden="true">
      <path d={lines[name]} />
    </svg>
  );
}

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly class?: string;
  /** Whether what the button opens is open. */
  readonly expanded?: boolean;
}

export function IconButton({ icon, label, onClick, disabled = false, class: extra = '', expanded }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button ${extra}`}
      aria-label={label}
      title={label}
      aria-expanded={expanded}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
