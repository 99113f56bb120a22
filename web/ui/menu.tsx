// A button that opens a list of actions. The browser closes the list with Escape and with a click outside it.

import { useId, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

interface MenuItem {
  readonly icon: IconName;
  readonly text: string;
  readonly run: () => void;
  readonly disabled?: boolean;
}

interface MenuButtonProps {
  readonly label: string;
  /** Called when the menu opens. */
  readonly items: () => readonly MenuItem[];
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

export function MenuButton({ label, items }: MenuButtonProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const choices = (): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>('button:enabled') ?? [])];
  const close = (): void => list.current?.hidePopover();
  const noteToggle = (newState: string): void => {
    setOpen(newState === 'open');
    // The items are rendered in between.
    if (newState === 'open') requestAnimationFrame(() => choices()[0]?.focus());
  };
  const moveFocus = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (event.key === 'Tab') close();
    if (step === undefined) return;
    event.preventDefault();
    const all = choices();
    const current = all.indexOf(document.activeElement as HTMLElement);
    all[(current + step + all.length) % all.length]?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="icon-button"
        popovertarget={id}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        title={label}
      >
        <Icon name="more" />
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        class={isOpen ? 'menu-list menu-open' : 'menu-list'}
        onBeforeToggle={(event) => {
          if (event.newState === 'open') placeBeside(list.current, button.current);
        }}
        onToggle={(event) => noteToggle(event.newState)}
        onKeyDown={moveFocus}
      >
        {isOpen
          ? items().map(({ icon, text, run, disabled = false }) => (
              <button
                key={text}
                type="button"
                role="menuitem"
                tabIndex={-1}
                disabled={disabled}
                onClick={() => {
                  // Before the action, which may move the focus.
                  close();
                  run();
                }}
              >
                <Icon name={icon} />
                {text}
              </button>
            ))
          : null}
      </div>
    </>
  );
}

/** Below the button, or above it in the lower half of the page. */
function placeBeside(list: HTMLElement | null, button: HTMLElement | null): void {
  if (list === null || button === null) return;
  const { top, bottom, left, right } = button.getBoundingClientRect();
  const isLow = top > window.innerHeight / 2;
  const isRight = left > window.innerWidth / 2;
  const pixels = (value: number | undefined): string => (value === undefined ? 'auto' : `${Math.round(value)}px`);
  list.style.top = pixels(isLow ? undefined : bottom);
  list.style.bottom = pixels(isLow ? window.innerHeight - top : undefined);
  list.style.left = pixels(isRight ? undefined : left);
  list.style.right = pixels(isRight ? window.innerWidth - right : undefined);
}
