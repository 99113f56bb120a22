// A key, or the account of a user, becomes a cookie that scripts cannot read. The page does not keep the key.

import { computed, signal } from '@preact/signals';
import type { SessionResponseBody } from '../../src/features/keys/session-schema.ts';
import { forgetData } from '../worker/cache-rule.ts';
import { isKeyMissing, noteAcceptedKey, requestJson } from './request.ts';

/** The session as the server described it last. */
const session = signal<SessionResponseBody>({ key_required: false });

/** The name of the user's key; undefined if there is none. */
export const keyName = computed(() => session.value.name);

/** Whether requests need a key. */
export const isKeyRequired = computed(() => session.value.key_required);

/** Where users sign in with their account, and come back to this view; undefined if they cannot. */
export const signInUrl = computed(() => {
  const { sign_in_url: address } = session.value;
  return address && `${address}?return_to=${encodeURIComponent(`/${window.location.hash}`)}`;
});

/** Whether the session is that of a user who has signed in. */
export const isUser = computed(() => session.value.is_user === true);

/** Whether the user may change models. */
export const mayManage = computed(() => !session.value.key_required || session.value.scope !== 'infer');

/** Whether the user may see the requests and keys of all. */
export const isAdmin = computed(() => !session.value.key_required || session.value.scope === 'admin');

export async function readSession(): Promise<void> {
  session.value = await requestJson<SessionResponseBody>('/api/session');
  isKeyMissing.value = session.value.key_required && session.value.name === undefined;
}

/** Throws if the key is not valid. */
export async function beginSession(key: string): Promise<void> {
  // The browser keeps data of the user before.
  await forgetData();
  session.value = await requestJson<SessionResponseBody>('/api/session', { method: 'POST', body: { key } });
  noteAcceptedKey();
}

/**
 * The page must be loaded again: it still shows the conversations of the key. Returns the address to load, where a user also
 * signs out of the provider.
 */
export async function endSession(): Promise<string> {
  session.value = await requestJson<SessionResponseBody>('/api/session', { method: 'DELETE' });
  await forgetData();
  return session.peek().sign_out_url ?? '/';
}
