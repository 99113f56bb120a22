// A key becomes a cookie that scripts cannot read. The page does not keep the key.

import type { SessionResponseBody } from '../../src/server/dialects/ollama/access/session-schema.ts';
import { isKeyMissing, requestJson } from './request.ts';

export async function readSession(): Promise<SessionResponseBody> {
  const session = await requestJson<SessionResponseBody>('/api/session');
  isKeyMissing.value = session.key_required && session.name === undefined;
  return session;
}

/** Throws if the key is not valid. */
export async function beginSession(key: string): Promise<void> {
  await requestJson<SessionResponseBody>('/api/session', { method: 'POST', body: { key } });
  isKeyMissing.value = false;
}
