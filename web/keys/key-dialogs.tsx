// The form for a new key, and the only view of its secret.

import { useState } from 'preact/hooks';
import type { KeyEntryBody, NewKeyResponseBody } from '../../src/features/keys/keys-schema.ts';
import { errorText } from '../api/request.ts';
import type { Label } from '../language/catalogue.ts';
import { t } from '../language/language.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { closeDialog, Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import type { KeyFields } from './key-request.ts';

const scopes: readonly { readonly value: KeyEntryBody['scope']; readonly text: Label }[] = [
  { value: 'infer', text: 'Use models' },
  { value: 'manage', text: 'Use and manage models' },
  { value: 'admin', text: 'Everything, including keys' },
];

const lifetimes: readonly { readonly days: string; readonly text: Label }[] = [
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
    <Dialog title={t('Create a key')} onClose={closeDialog}>
      <form class="dialog-form" onSubmit={submit}>
        {isFirst ? (
          <p>
            {t(
              'This is the first key. Everyone who uses this server needs one from now on. This page uses the new key.',
            )}
          </p>
        ) : null}
        <label>
          {t('Name')}
          <input
            required
            maxLength={64}
            spellcheck={false}
            placeholder={t('Whom or what the key is for')}
            {...input('name')}
          />
        </label>
        <label>
          {t('The key may')}
          <select
            value={fields.scope}
            disabled={isFirst}
            onChange={({ currentTarget: { value } }) =>
              change({ scope: scopes.find((scope) => scope.value === value)?.value ?? 'infer' })
            }
          >
            {scopes.map(({ value, text }) => (
              <option key={value} value={value}>
                {t(text)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t('Expires')}
          <select value={fields.days} onChange={(event) => change({ days: event.currentTarget.value })}>
            {lifetimes.map(({ days, text }) => (
              <option key={days} value={days}>
                {t(text)}
              </option>
            ))}
          </select>
        </label>
        <div class="option-grid">
          <label>
            {t('Requests per minute')}
            <input type="number" min={1} step={1} placeholder={t('No limit')} {...input('requestsPerMinute')} />
          </label>
          <label>
            {t('Tokens per day')}
            <input type="number" min={1} step={1} placeholder={t('No limit')} {...input('tokensPerDay')} />
          </label>
        </div>
        <label>
          {t('Models')}
          <input spellcheck={false} placeholder={t('All. Or names, such as ember, qwen3:*')} {...input('models')} />
        </label>
        <Problem text={problem} />
        <footer>
          <button type="button" class="button" onClick={closeDialog}>
            {t('Cancel')}
          </button>
          <button type="submit" class="button primary">
            {t('Create')}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

export function NewKeyDialog({ created: { name, key } }: { readonly created: NewKeyResponseBody }) {
  return (
    <Dialog title={t('The key “{name}”', { name })} onClose={closeDialog}>
      <p>{t('Copy it now: it is shown only once.')}</p>
      <div class="secret">
        <input readOnly aria-label={t('Key')} value={key} onFocus={(event) => event.currentTarget.select()} />
        <CopyButton text={key} label={t('Copy key')} />
      </div>
      <footer>
        <button type="button" class="button primary" onClick={closeDialog}>
          {t('Done')}
        </button>
      </footer>
    </Dialog>
  );
}
