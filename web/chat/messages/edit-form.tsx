// The text of a message while the user changes it.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../language/language.ts';

interface EditFormProps {
  readonly text: string;
  /** What the button does, such as "Save". */
  readonly action: string;
  readonly onSubmit: (text: string) => void;
  readonly onCancel: () => void;
}

export function EditForm({ text, action, onSubmit, onCancel }: EditFormProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  // The form takes the focus, and gives it back when it disappears.
  useLayoutEffect(() => {
    const before = document.activeElement;
    field.current?.focus();
    return () => before instanceof HTMLElement && before.focus();
  }, []);
  const submit = (event: Event): void => {
    event.preventDefault();
    onSubmit(field.current?.value.trim() ?? '');
  };
  return (
    <form class="edit" onSubmit={submit}>
      <textarea
        ref={field}
        aria-label={t('Edited message')}
        dir="auto"
        defaultValue={text}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.preventDefault();
            onCancel();
          }
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
        }}
      />
      <footer>
        <button type="button" class="button" onClick={onCancel}>
          {t('Cancel')}
        </button>
        <button type="submit" class="button primary">
          {action}
        </button>
      </footer>
    </form>
  );
}
