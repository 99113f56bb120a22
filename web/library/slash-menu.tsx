// The prompts of the library, while the message begins with a slash. The focus stays in the field.

import type { Signal } from '@preact/signals';
import { useEffect, useId, useState } from 'preact/hooks';
import { t } from '../language/language.ts';
import { showDialog } from '../ui/dialog.tsx';
import { findPlaceholder, findPrompts, type Prompt } from './library.ts';
import { LibraryDialog } from './library-dialog.tsx';
import { library } from './own-library.ts';

interface SlashMenuProps {
  readonly text: Signal<string>;
  readonly field: HTMLTextAreaElement;
}

const maxShown = 8;
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

export function SlashMenu({ text, field }: SlashMenuProps) {
  const id = useId();
  const [chosen, setChosen] = useState(0);
  const [isClosed, setClosed] = useState(false);
  useEffect(() => void library.load().catch(() => {}), []);
  useEffect(() => setChosen(0), [text.value]);
  const all = library.content.value?.prompts;
  const found = findPrompts(all ?? [], text.value.slice(1)).slice(0, maxShown);
  const isEmpty = all?.length === 0 && text.value === '/';
  const isOpen = !isClosed && (found.length > 0 || isEmpty);
  const insert = (prompt: Prompt): void => {
    text.value = prompt.text;
    // The field gets the text first.
    requestAnimationFrame(() => {
      field.focus();
      field.setSelectionRange(...findPlaceholder(prompt.text));
    });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (!isOpen || event.isComposing) return;
    const step = steps[event.key];
    const prompt = found[chosen];
    if (step !== undefined) setChosen((chosen + step + found.length) % Math.max(found.length, 1));
    else if (event.key === 'Escape') setClosed(true);
    else if ((event.key === 'Enter' || event.key === 'Tab') && prompt !== undefined) insert(prompt);
    else return;
    event.preventDefault();
    // The field would send the message.
    event.stopImmediatePropagation();
  };
  useEffect(() => {
    field.addEventListener('keydown', onKey, { capture: true });
    return () => field.removeEventListener('keydown', onKey, { capture: true });
  });
  useEffect(() => {
    if (!isOpen || isEmpty) return;
    const attributes = { 'aria-autocomplete': 'list', 'aria-controls': id, 'aria-activedescendant': `${id}-${chosen}` };
    for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
    return () => {
      for (const name of Object.keys(attributes)) field.removeAttribute(name);
    };
  }, [isOpen, isEmpty, chosen]);
  if (!isOpen) return null;
  return (
    <div class="slash-menu">
      {isEmpty ? (
        <p>{t('There are no prompts in the library yet.')}</p>
      ) : (
        <div id={id} role="listbox" aria-label={t('Prompts')}>
          {found.map((prompt, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys choose
            <div
              key={prompt.id}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onClick={() => insert(prompt)}
            >
              <span dir="auto">{prompt.name}</span>
              <small dir="auto">{prompt.text}</small>
            </div>
          ))}
        </div>
      )}
      <button type="button" class="link" onClick={() => showDialog(<LibraryDialog />)}>
        {t('Manage presets and prompts')}
      </button>
    </div>
  );
}
