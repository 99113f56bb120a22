// A dialog with a field and a list: typing filters the list, arrow keys move through it, Enter chooses.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Dialog } from './dialog.tsx';

interface Choice {
  readonly id: string;
  readonly content: ComponentChildren;
  readonly isCurrent?: boolean;
}

interface ChooserProps {
  readonly title: string;
  readonly placeholder: string;
  readonly query: string;
  readonly choices: readonly Choice[];
  /** Shown if there are no choices. */
  readonly empty: ComponentChildren;
  readonly onQuery: (query: string) => void;
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
}

/** The server searches for no more. */
const maxQueryCharacters = 200;

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

export function Chooser({ title, placeholder, query, choices, empty, onQuery, onChoose, onClose }: ChooserProps) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => body.current?.querySelector('input')?.focus(), []);
  const moveFocus = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (step === undefined || body.current === null) return;
    event.preventDefault();
    const stops = [...body.current.querySelectorAll<HTMLElement>('input, button')];
    const current = stops.indexOf(document.activeElement as HTMLElement);
    stops[(current + step + stops.length) % stops.length]?.focus();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const [first] = choices;
    if (first !== undefined) onChoose(first.id);
  };
  return (
    <Dialog title={title} onClose={onClose} class="chooser">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the controls inside */}
      <div ref={body} onKeyDown={moveFocus}>
        <form onSubmit={submit}>
          <input
            type="search"
            aria-label={placeholder}
            placeholder={placeholder}
            autocomplete="off"
            maxLength={maxQueryCharacters}
            value={query}
            onInput={(event) => onQuery(event.currentTarget.value)}
          />
        </form>
        {choices.length === 0 ? (
          <p class="empty">{empty}</p>
        ) : (
          <ul>
            {choices.map(({ id, content, isCurrent = false }) => (
              <li key={id}>
                <button type="button" aria-current={isCurrent} onClick={() => onChoose(id)}>
                  {content}
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}
