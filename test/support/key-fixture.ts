// A file of keys in a folder of its own, and what decides about requests with them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/logger.ts';
import type { Clock } from '../../src/base/time/clock.ts';
import { type Authenticator, createAuthenticator } from '../../src/features/keys/access/authenticator.ts';
import { createKeyEditor, type KeyEditor, type NewKey } from '../../src/features/keys/access/edit-keys.ts';
import { createKeyFileHome, type KeyHome } from '../../src/features/keys/access/key-home.ts';
import type { KeyGrant } from '../../src/features/keys/access/key-record.ts';
import { KeyStore } from '../../src/features/keys/access/key-store.ts';
import { KeyWatch } from '../../src/features/keys/access/key-watch.ts';
import { createQuotas } from '../../src/features/keys/access/quotas.ts';
import { Sessions } from '../../src/features/keys/access/sessions.ts';

export interface KeyFixture {
  readonly path: string;
  readonly home: KeyHome;
  readonly editor: KeyEditor;
  readonly keys: KeyStore;
  readonly watch: KeyWatch;
  readonly quotas: ReturnType<typeof createQuotas>;
  readonly sessions: Sessions;
  readonly authenticator: Authenticator;
  create(name: string, grant?: Partial<KeyGrant>): Promise<NewKey>;
  remove(): Promise<void>;
}

export function createKeyFixture(clock: Clock): KeyFixture {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-keys-'));
  const path = join(folder, 'keys.json');
  const home = createKeyFileHome(path, clock);
  const common = { clock, logger: silentLogger };
  const keys = new KeyStore({ home, alwaysRequired: false, ...common });
  const watch = new KeyWatch(keys, clock);
  const editor = createKeyEditor(home, clock, () => watch.check());
  const quotas = createQuotas({ path: join(folder, 'quotas.json'), ...common });
  const sessions = new Sessions(clock);
  return {
    path,
    home,
    editor,
    keys,
    quotas,
    sessions,
    watch,
    authenticator: createAuthenticator({ keys, sessions, quotas, watch, clock }),
    create: (name, grant = {}) => editor.create({ name, scope: 'infer', models: [], weight: 1, ...grant }),
    async remove() {
      // It may be writing.
      await quotas.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
