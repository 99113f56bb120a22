// Asks for the name of a new model.

import { type Signal, useSignal } from '@preact/signals';
import { t } from '../language/language.ts';
import { Dialog } from '../ui/dialog.tsx';

interface NameDialogProps {
  readonly title: string;
  /** What the button does, such as "Copy". */
  readonly action: string;
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}

export function NameDialog({ title, action, onName, onClose }: NameDialogProps) {
  const name = useSignal('');
  const submit = (event: Event): void => {
    event.preventDefault();
    onName(name.peek().trim());
  };
  return (
    <Dialog title={title} onClose={onClose} class="confirm">
      <form class="dialog-form" onSubmit={submit}>
        <NameField label={t('Name of the new model')} name={name} />
        <footer>
          <button type="button" class="button" onClick={onClose}>
            {t('Cancel')}
          </button>
          <button type="submit" class="button primary">
            {action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

export function NameField({ label, name }: { readonly label: string; readonly name: Signal<string> }) {
  return (
    <label>
      {label}
      <input
        required
        autocomplete="off"
        spellcheck={false}
        value={name}
        onInput={(event) => {
          name.value = event.currentTarget.value;
        }}
      />
    </label>
  );
}
