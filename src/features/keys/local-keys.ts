// `hearth keys` on the machine of the server: the file of keys, with or without a server.

import { systemClock } from '../../base/time/clock.ts';
import type { KeyCalls } from '../../client/client.ts';
import { createKeyEditor, type NewKey } from './access/edit-keys.ts';
import { fromCreateKeyBody, type NewKeyResponseBody, toKeyEntry } from './keys-schema.ts';

export function createLocalKeys(path: string): KeyCalls {
  const editor = createKeyEditor(path, systemClock);
  return {
    list: async () => ({ keys: editor.list().map(toKeyEntry) }),
    create: async (request) => toBody(await editor.create(fromCreateKeyBody(request))),
    revoke: (name) => editor.revoke(name),
    rotate: async (name) => toBody(await editor.rotate(name)),
  };
}

function toBody({ text, record }: NewKey): NewKeyResponseBody {
  return { key: text, ...toKeyEntry(record) };
}
