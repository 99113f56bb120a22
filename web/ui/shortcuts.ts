// Keys that work everywhere on the page.

interface Shortcut {
  /** As in KeyboardEvent.key, in lower case. */
  readonly key: string;
  /** Control, or Command on a Mac. */
  readonly control?: boolean;
  readonly shift?: boolean;
  readonly run: () => void;
}

/** The result removes them. */
export function addShortcuts(shortcuts: readonly Shortcut[]): () => void {
  const onKey = (event: KeyboardEvent): void => {
    // Escape closes a dialog.
    if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]') !== null) return;
    const found = shortcuts.find((shortcut) => matches(shortcut, event));
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

export function matches({ key, control = false, shift = false }: Omit<Shortcut, 'run'>, event: Keys): boolean {
  return (
    event.key.toLowerCase() === key &&
    (event.ctrlKey || event.metaKey) === control &&
    event.shiftKey === shift &&
    !event.altKey
  );
}
