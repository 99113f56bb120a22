// The keys of the server, for administrators: who has one, what it may do, and when it was used last. Users see their own.

import { useEffect, useState } from 'preact/hooks';
import type { KeyEntryBody, KeysResponseBody, NewKeyResponseBody } from '../../src/features/keys/keys-schema.ts';
import type { UsageResponseBody } from '../../src/features/usage/usage-schema.ts';
import { errorText, request, requestJson } from '../api/request.ts';
import { beginSession, isAdmin, isKeyRequired, isUser, keyName, signInUrl } from '../api/session.ts';
import { t } from '../language/language.ts';
import { showDialog } from '../ui/dialog.tsx';
import { formatAgo, formatDate } from '../ui/format.ts';
import { Icon, IconButton } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { confirm } from './confirm.tsx';
import { CreateKeyDialog, NewKeyDialog } from './key-dialogs.tsx';
import { describeLimits, type KeyFields, toKeyRequest } from './key-request.ts';
import { LinkList } from './link-list.tsx';
import { OwnKeys } from './own-keys.tsx';
import { UserList } from './user-list.tsx';

const pathOf = (name: string): string => `/api/keys/${encodeURIComponent(name)}`;

export function KeysView() {
  if (isAdmin.value) return <AllKeys />;
  return (
    <section class="view" aria-label={t('Keys')}>
      <OwnKeys />
    </section>
  );
}

function AllKeys() {
  const [keys, setKeys] = useState<readonly KeyEntryBody[] | undefined>(undefined);
  const [lastUse, setLastUse] = useState<ReadonlyMap<string, string>>(new Map());
  const [problem, setProblem] = useState('');
  const read = async (): Promise<void> => {
    setKeys((await requestJson<KeysResponseBody>('/api/keys')).keys);
    // Without the usage log, the column is empty.
    const { groups } = await requestJson<UsageResponseBody>('/api/usage?by=key').catch(() => ({ groups: [] }));
    setLastUse(new Map(groups.map(({ name, last_used_at: time }) => [name, time])));
  };
  /** Says why it failed, and reads the keys in any case. */
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    setProblem('');
    await work().catch((error) => setProblem(errorText(error)));
    await read().catch((error) => setProblem(errorText(error)));
  };
  useEffect(() => void run(async () => {}), []);
  const isFirst = !isKeyRequired.value;
  const create = async (fields: KeyFields): Promise<void> => {
    const body = toKeyRequest(fields, Date.now());
    const created = await requestJson<NewKeyResponseBody>('/api/keys', { method: 'POST', body });
    // From now on, the page needs a key, too.
    if (isFirst) await beginSession(created.key);
    showDialog(<NewKeyDialog created={created} />);
    await run(async () => {});
  };
  const rotate = (name: string) => async (): Promise<void> => {
    const created = await requestJson<NewKeyResponseBody>(`${pathOf(name)}/rotate`, { method: 'POST' });
    if (name === keyName.peek()) await beginSession(created.key);
    showDialog(<NewKeyDialog created={created} />);
  };
  const actions = {
    rotate: (name: string) =>
      confirm({
        title: t('Replace this key?'),
        action: t('Replace'),
        text: t('“{name}” gets a new secret. Programs with the old one are refused at once.', { name }),
        onConfirm: () => void run(rotate(name)),
      }),
    revoke: (name: string) =>
      confirm({
        title: t('Revoke this key?'),
        action: t('Revoke'),
        text: [
          t('“{name}” is refused at once and cannot be restored.', { name }),
          name === keyName.peek() ? t('You are signed in with it.') : '',
        ].join(' '),
        onConfirm: () => void run(() => request(pathOf(name), { method: 'DELETE' })),
      }),
  };
  return (
    <section class="view" aria-label={t('Keys')}>
      <header class="view-header">
        <h1>{t('Keys')}</h1>
        <button
          type="button"
          class="button primary"
          onClick={() => showDialog(<CreateKeyDialog isFirst={isFirst} onCreate={create} />)}
        >
          <Icon name="plus" />
          {t('Create a key')}
        </button>
      </header>
      <Problem text={problem} />
      {keys === undefined || keys.length > 0 ? null : (
        <p class="quiet">{t('There are no keys: everyone who can reach this server may use it.')}</p>
      )}
      {keys === undefined || keys.length === 0 ? null : <KeyList keys={keys} lastUse={lastUse} actions={actions} />}
      {isUser.value ? <OwnKeys /> : null}
      {signInUrl.value === undefined ? null : <UserList />}
      <LinkList />
    </section>
  );
}

interface KeyListProps {
  readonly keys: readonly KeyEntryBody[];
  /** Times in RFC 3339 by name. */
  readonly lastUse: ReadonlyMap<string, string>;
  readonly actions: Readonly<Record<'rotate' | 'revoke', (name: string) => void>>;
}

function KeyList({ keys, lastUse, actions }: KeyListProps) {
  const describeUse = (name: string): string => {
    const time = lastUse.get(name);
    return time === undefined ? t('never') : formatAgo(time, Date.now());
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards must be able to scroll it
    <section class="table-frame" aria-label={t('List of keys')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>{t('Name')}</th>
            <th>{t('Scope')}</th>
            <th>{t('Limits')}</th>
            <th>{t('Created')}</th>
            <th>{t('Last use')}</th>
            <th>
              <span class="visually-hidden">{t('Actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">{key.name}</th>
              <td data-label={t('Scope')}>{key.scope}</td>
              <td data-label={t('Limits')}>{describeLimits(key) || '–'}</td>
              <td data-label={t('Created')}>{formatDate(key.created_at)}</td>
              <td data-label={t('Last use')}>{describeUse(key.name)}</td>
              <td class="model-actions">
                <IconButton
                  icon="refresh"
                  label={t('Replace {name}', { name: key.name })}
                  onClick={() => actions.rotate(key.name)}
                />
                <IconButton
                  icon="trash"
                  label={t('Revoke {name}', { name: key.name })}
                  onClick={() => actions.revoke(key.name)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
