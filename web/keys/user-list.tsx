// The users who have signed in, for administrators: what they may do and use, and who is blocked.

import { useEffect, useState } from 'preact/hooks';
import type { UserEntryBody, UsersResponseBody } from '../../src/features/sign-in/users-schema.ts';
import { errorText, request, requestJson } from '../api/request.ts';
import type { Label } from '../language/catalogue.ts';
import { t } from '../language/language.ts';
import { formatCount } from '../ui/format.ts';
import { IconButton } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { confirm } from './confirm.tsx';
import { describeLimits } from './key-request.ts';

const states: Readonly<Record<UserEntryBody['state'], Label>> = {
  active: 'may enter',
  expired: 'must sign in again',
  blocked: 'is blocked',
};

export function UserList() {
  const [users, setUsers] = useState<readonly UserEntryBody[]>([]);
  const [problem, setProblem] = useState('');
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    setProblem('');
    await work().catch((error) => setProblem(errorText(error)));
    await requestJson<UsersResponseBody>('/api/users').then(
      (response) => setUsers(response.users),
      (error) => setProblem(errorText(error)),
    );
  };
  useEffect(() => void run(async () => {}), []);
  const setBlocked = (name: string, blocked: boolean): Promise<void> =>
    run(() => request(`/api/users/${encodeURIComponent(name)}`, { method: 'POST', body: { blocked } }));
  const block = (name: string): void =>
    confirm({
      title: t('Block this user?'),
      action: t('Block'),
      text: t('“{name}” is signed out at once, with all keys, and cannot sign in.', { name }),
      onConfirm: () => void setBlocked(name, true),
    });
  return (
    <>
      <header class="view-header">
        <h2>{t('Users')}</h2>
      </header>
      <Problem text={problem} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards must be able to scroll it */}
      <section class="table-frame" aria-label={t('List of users')} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>{t('Name')}</th>
              <th>{t('Scope')}</th>
              <th>{t('State')}</th>
              <th>{t('Keys')}</th>
              <th>{t('Tokens today')}</th>
              <th>{t('Limits')}</th>
              <th>
                <span class="visually-hidden">{t('Actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {users.map((user) => (
              <tr key={user.id}>
                <th scope="row">{user.name}</th>
                <td data-label={t('Scope')}>{user.scope}</td>
                <td data-label={t('State')}>{t(states[user.state])}</td>
                <td data-label={t('Keys')}>{user.keys.join(', ') || '–'}</td>
                <td data-label={t('Tokens today')}>{formatCount(user.tokens_today)}</td>
                <td data-label={t('Limits')}>{describeLimits({ ...user, models: user.models ?? [] }) || '–'}</td>
                <td class="model-actions">
                  {user.state === 'blocked' ? (
                    <IconButton
                      icon="refresh"
                      label={t('Unblock {name}', { name: user.name })}
                      onClick={() => void setBlocked(user.name, false)}
                    />
                  ) : (
                    <IconButton
                      icon="close"
                      label={t('Block {name}', { name: user.name })}
                      onClick={() => block(user.name)}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
