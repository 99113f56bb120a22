// A button with an icon alone. Its label is read to users who do not see it, and shown as a tooltip.

import { Icon, type IconName } from './icon.tsx';

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly class?: string;
  /** Whether it opened what it opens. */
  readonly expanded?: boolean;
}

export function IconButton({ icon, label, onClick, disabled = false, class: extra = '', expanded }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button ${extra}`}
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
      {...(expanded === undefined ? {} : { 'aria-expanded': expanded })}
    >
      <Icon name={icon} />
    </button>
  );
}
