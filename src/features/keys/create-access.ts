// Keys, sessions and quotas, and the rule about listening without keys.

import { dirname, join } from 'node:path';
import { HearthError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { SharedState } from '../../base/state/shared-state.ts';
import type { Clock } from '../../base/time/clock.ts';
import { isLoopback } from '../../server/http/access/from-this-machine.ts';
import type { Settings } from '../../settings/setting-table.ts';
import { createSignIn } from '../sign-in/create-sign-in.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import { type Authenticator, createAuthenticator } from './access/authenticator.ts';
import { createKeyEditor, type KeyEditor } from './access/edit-keys.ts';
import { createKeyFileHome, createSharedKeyHome } from './access/key-home.ts';
import type { KeyHolder } from './access/key-record.ts';
import { KeyStore } from './access/key-store.ts';
import { KeyWatch } from './access/key-watch.ts';
import { createQuotas, type Quotas } from './access/quotas.ts';
import { type SessionHome, Sessions } from './access/sessions.ts';
import { SharedQuotas } from './access/shared-quotas.ts';
import { SharedSessions } from './access/shared-sessions.ts';

interface Access {
  readonly keys: KeyStore;
  readonly editor: KeyEditor;
  readonly sessions: SessionHome;
  readonly quotas: Quotas;
  readonly authenticator: Authenticator;
  /** Absent: no provider is configured. */
  readonly signIn?: SignIn;
  /** Throws if the server would be open to the network. Called when the keys are known. */
  checkOpen(): void;
}

interface AccessParts {
  readonly settings: Settings;
  readonly sharedState?: SharedState | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Throws if the file of keys is damaged. */
export function createAccess({ settings, sharedState: state, clock, logger }: AccessParts): Access {
  const { host, keysFile: path, allowOpen } = settings;
  const isNameTaken = (name: string): boolean => keys.list().some((key) => key.name === name);
  const signIn = createSignIn({
    settings,
    sharedState: state,
    isNameTaken,
    onChange: () => watch.check(),
    clock,
    logger,
  });
  const mayBeOpen = signIn === undefined && (isLocalAddress(host) || allowOpen);
  const home = state ? createSharedKeyHome(state, () => watch.check()) : createKeyFileHome(path, clock);
  const editor = createKeyEditor(home, clock, () => watch.check());
  // A server that began with keys does not become open to the network when the last one is revoked.
  const findUser = (id: string): KeyHolder | undefined => signIn?.users.find(id);
  const keys = new KeyStore({ home, alwaysRequired: !mayBeOpen, findUser, clock, logger });
  const watch = new KeyWatch(keys, clock);
  const quotas: Quotas = state
    ? new SharedQuotas({ state, clock, logger })
    : createQuotas({ path: join(dirname(path), 'quotas.json'), clock, logger });
  const sessions = state ? new SharedSessions(state, clock) : new Sessions(clock);
  const authenticator = createAuthenticator({ keys, sessions, quotas, watch, state, clock });
  const checkOpen = (): void => {
    if (!mayBeOpen && signIn === undefined && editor.list().length === 0) throw refuseToOpen(host);
  };
  return { keys, editor, quotas, sessions, authenticator, signIn, checkOpen };
}

/** Anyone who can open a Unix socket may use it, as with a file. */
function isLocalAddress(address: Settings['host']): boolean {
  return 'socket' in address || isLoopback(address.host) || /(?:^|\.)localhost$/i.test(address.host);
}

function refuseToOpen(address: Settings['host']): HearthError {
  const where = 'socket' in address ? address.socket : `${address.host}:${address.port}`;
  const message =
    `listening on ${where} without keys would let everyone on the network use this server. ` +
    'Create a key with `hearth keys create NAME --scope admin`, or set HEARTH_ALLOW_OPEN=1 to accept this.';
  return new HearthError('bad_configuration', message);
}
