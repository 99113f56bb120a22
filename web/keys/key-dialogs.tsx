// The form for a new key, and the only view of its secret.

import { useState } from 'preact/hooks';
import type { KeyEntryBody, NewKeyResponseBody } from '../../src/features/keys/keys-schema.ts';
import { errorText } from '../api/request.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { closeDialog, Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import type { KeyFields } from './key-request.ts';

const scopes: readonly { readonly value: KeyEntryBody['scope']; readonly text: string }[] = [
  { value: 'infer', text: 'Use models' },
  { value: 'manage', text: 'Use and manage models' },
  { value: 'admin', text: 'Everything, including keys' },
];

const lifetimes = [
  { days: '', text: 'Never' },
  { days: '1', text: 'After a day' },
  { days: '7', text: 'After 7 days' },
  { days: '30', text: 'After 30 days' },
  { days: '90', text: 'After 90 days' },
  { days: '365', text: 'After a year' },
];

interface CreateKeyDialogProps {
  /** Whether the server is open to everyone until now. */
  readonly isFirst: boolean;
  readonly onCreate: (fields: KeyFields) => Promise<void>;
}

export function CreateKeyDialog({ isFirst, onCreate }: CreateKeyDialogProps) {
  const [fields, setFields] = useState<KeyFields>({
    name: '',
    scope: isFirst ? 'admin' : 'infer',
    days: '',
    requestsPerMinute: '',
    tokensPerDay: '',
    models: '',
  });
  const [problem, setProblem] = useState('');
  const change = (changes: Partial<KeyFields>): void => setFields({ ...fields, ...changes });
  const submit = (event: Event): void => {
    event.preventDefault();
    onCreate(fields).catch((error) => setProblem(errorText(error)));
  };
  const input = (name: Exclude<keyof KeyFields, 'scope'>) => ({
    value: fields[name],
    autocomplete: 'off',
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => change({ [name]: event.currentTarget.value }),
  });
  return (
    <Dialog title="Create a key" onClose={closeDialog}>
      <form class="dialog-form" onSubmit={submit}>
        {isFirst ? (
          <p>This is the first key. Everyone who uses this server needs one from now on. This page uses the new key.</p>
        ) : null}
        <label>
          Name
          <input
            required
            maxLength={64}
            spellcheck={false}
            placeholder="Whom or what the key is for"
            {...input('name')}
          />
        </label>
        <label>
          The key may
          <select
            value={fields.scope}
            disabled={isFirst}
            onChange={({ currentTarget: { value } }) =>
              change({ scope: scopes.find((scope) => scope.value === value)?.value ?? 'infer' })
            }
          >
            {scopes.map(({ value, text }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label>
          Expires
          <select value={fields.days} onChange={(event) => change({ days: event.currentTarget.value })}>
            {lifetimes.map(({ days, text }) => (
              <option key={days} value={days}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <div class="option-grid">
          <label>
            Requests per minute
            <input type="number" min={1} step={1} placeholder="No limit" {...input('requestsPerMinute')} />
          </label>
          <label>
            Tokens per day
            <input type="number" min={1} step={1} placeholder="No limit" {...input('tokensPerDay')} />
          </label>
        </div>
        <label>
          Models
          <input spellcheck={false} placeholder="All. Or names, such as ember, qwen3:*" {...input('models')} />
        </label>
        <Problem text={problem} />
        <footer>
          <button type="button" class="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="submit" class="button primary">
            Create
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

export function NewKeyDialog({ created: { name, key } }: { readonly created: NewKeyResponseBody }) {
  return (
    <Dialog title={`The key “${name}”`} onClose={closeDialog}>
      <p>Copy it now: it is shown only once.</p>
      <div class="secret">
        <input readOnly aria-label="Key" value={key} onFocus={(event) => event.currentTarget.select()} />
        <CopyButton text={key} label="Copy key" />
      </div>
      <footer>
        <button type="button" class="button primary" onClick={closeDialog}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
