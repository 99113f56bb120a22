// The keys that a user has created for programs.

import { useEffect, useState } from 'preact/hooks';
import type { NewKeyResponseBody, OwnKeysResponseBody } from '../../src/features/keys/keys-schema.ts';
import { errorText, request, requestJson } from '../api/request.ts';
import { t } from '../language/language.ts';
import { closeDialog, Dialog, showDialog } from '../ui/dialog.tsx';
import { formatDate } from '../ui/format.ts';
import { Icon, IconButton } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { confirm } from './confirm.tsx';
import { NewKeyDialog } from './key-dialogs.tsx';

const path = '/api/session/keys';

export function OwnKeys() {
  const [own, setOwn] = useState<OwnKeysResponseBody | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    setProblem('');
    await work().catch((error) => setProblem(errorText(error)));
    await requestJson<OwnKeysResponseBody>(path).then(setOwn, (error) => setProblem(errorText(error)));
  };
  useEffect(() => void run(async () => {}), []);
  const create = async (name: string): Promise<void> => {
    const created = await requestJson<NewKeyResponseBody>(path, { method: 'POST', body: { name } });
    showDialog(<NewKeyDialog created={created} />);
    await run(async () => {});
  };
  const revoke = (name: string): void =>
    confirm({
      title: t('Revoke this key?'),
      action: t('Revoke'),
      text: t('“{name}” is refused at once and cannot be restored.', { name }),
      onConfirm: () => void run(() => request(`${path}/${encodeURIComponent(name)}`, { method: 'DELETE' })),
    });
  const { keys = [], max_keys: maxKeys = 0 } = own ?? {};
  return (
    <>
      <header class="view-header">
        <h2>{t('Your keys')}</h2>
        <button
          type="button"
          class="button"
          disabled={keys.length >= maxKeys}
          onClick={() => showDialog(<OwnKeyDialog onCreate={create} />)}
        >
          <Icon name="plus" />
          {t('Create a key')}
        </button>
      </header>
      <p class="quiet">{t('Programs use these keys on your behalf. The keys expire, and end with your access.')}</p>
      <Problem text={problem} />
      {keys.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards must be able to scroll it
        <section class="table-frame" aria-label={t('List of your keys')} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th>{t('Name')}</th>
                <th>{t('Expires')}</th>
                <th>
                  <span class="visually-hidden">{t('Actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keys.map(({ id, name, expires_at: end }) => (
                <tr key={id}>
                  <th scope="row">{name}</th>
                  <td data-label={t('Expires')}>{end === undefined ? t('Never') : formatDate(end)}</td>
                  <td class="model-actions">
                    <IconButton icon="trash" label={t('Revoke {name}', { name })} onClick={() => revoke(name)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

function OwnKeyDialog({ onCreate }: { readonly onCreate: (name: string) => Promise<void> }) {
  const [name, setName] = useState('');
  const [problem, setProblem] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    onCreate(name.trim()).catch((error) => setProblem(errorText(error)));
  };
  return (
    <Dialog title={t('Create a key')} onClose={closeDialog}>
      <form class="dialog-form" onSubmit={submit}>
        <label>
          {t('Name')}
          <input
            required
            maxLength={20}
            spellcheck={false}
            autocomplete="off"
            value={name}
            placeholder={t('Whom or what the key is for')}
            onInput={(event) => setName(event.currentTarget.value)}
          />
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
