// Keys that work everywhere on the page.

interface Shortcut {
  /** As in KeyboardEvent.key, in lower case. */
  readonly key: string;
  /** Control, or Command on a Mac. */
  readonly control?: boolean;
  readonly shift?: boolean;
  /** Whether the key is a character, which belongs to a field that has the focus. */
  readonly isPlain?: boolean;
  readonly run: () => void;
}

/** The result removes them. */
export function addShortcuts(shortcuts: readonly Shortcut[]): () => void {
  const onKey = (event: KeyboardEvent): void => {
    // Escape closes a dialog or a menu.
    if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open], .menu-open') !== null)
      return;
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    const found = shortcuts.find((shortcut) => matches(shortcut, event) && !(shortcut.isPlain && isTyping));
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

export function matches(shortcut: Omit<Shortcut, 'run'>, event: Keys): boolean {
  const { key, control = false, shift = false, isPlain = false } = shortcut;
  return (
    event.key.toLowerCase() === key &&
    (event.ctrlKey || event.metaKey) === control &&
    // Keyboards differ in whether a character needs Shift.
    (isPlain || event.shiftKey === shift) &&
    !event.altKey
  );
}
