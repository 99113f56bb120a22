// `hearth keys` on the machine of the server: their file or the shared state, with or without a server.

import { silentLogger } from '../../base/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import type { KeyCalls } from '../../client/client.ts';
import { createSharedState, type StateSettings } from '../shared-state.ts';
import { createKeyEditor, type KeyEditor, type NewKey } from './access/edit-keys.ts';
import { createKeyFileHome, createSharedKeyHome } from './access/key-home.ts';
import { fromCreateKeyBody, type NewKeyResponseBody, toKeyEntry } from './keys-schema.ts';

export function createLocalKeys(path: string, settings: StateSettings): KeyCalls {
  const edit = async <Result>(work: (editor: KeyEditor) => Result | Promise<Result>): Promise<Result> => {
    const state = await createSharedState(settings, { clock: systemClock, logger: silentLogger });
    const home = state ? createSharedKeyHome(state, () => {}) : createKeyFileHome(path, systemClock);
    try {
      await state?.open();
      return await work(createKeyEditor(home, systemClock));
    } finally {
      await state?.close();
    }
  };
  return {
    list: () => edit((editor) => ({ keys: editor.list().map(toKeyEntry) })),
    create: (request) => edit(async (editor) => toBody(await editor.create(fromCreateKeyBody(request)))),
    revoke: (name) => edit((editor) => editor.revoke(name)),
    rotate: (name) => edit(async (editor) => toBody(await editor.rotate(name))),
  };
}

function toBody({ text, record }: NewKey): NewKeyResponseBody {
  return { key: text, ...toKeyEntry(record) };
}
