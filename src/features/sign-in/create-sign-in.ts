// Sign-in as the settings describe it.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { badConfiguration, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { SharedState } from '../../base/state/shared-state.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { Settings } from '../../settings/setting-table.ts';
import { Sealer } from './sealer.ts';
import { SignIn } from './sign-in.ts';
import { callbackPath } from './sign-in-routes.ts';
import { createSharedUserHome, UserFile } from './users/user-home.ts';
import { UserStore } from './users/user-store.ts';

interface SignInParts {
  readonly settings: Settings;
  /** Absent: users are in a file. */
  readonly sharedState?: SharedState | undefined;
  /** Called when another server has changed users. */
  readonly onChange: () => void;
  /** Whether a key has this name. */
  readonly isNameTaken: (name: string) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Undefined without a provider. Throws if a setting is missing, or the file of users is damaged. */
export function createSignIn(parts: SignInParts): SignIn | undefined {
  const { settings, sharedState: state, isNameTaken, onChange, clock, logger } = parts;
  const { oidcIssuer: issuer, oidcClientId: clientId, publicUrl, oidcScopes, oidcAdmins, oidcUsers } = settings;
  if (issuer === '') return undefined;
  if (clientId === '') throw badConfiguration('HEARTH_OIDC_ISSUER needs HEARTH_OIDC_CLIENT_ID too');
  if (publicUrl === '')
    throw badConfiguration(
      'HEARTH_OIDC_ISSUER needs HEARTH_PUBLIC_URL too: the address of this server that browsers use',
    );
  const clientSecret = readSecret(settings);
  const users = new UserStore({
    home: state
      ? createSharedUserHome({ state, onChange, logger })
      : new UserFile(join(dirname(settings.keysFile), 'users.json'), { clock, logger }),
    issuer,
    graceMs: settings.oidcGrace,
    // Without a client secret, only this process can open the tokens.
    sealer: new Sealer(clientSecret),
    isNameTaken,
    clock,
  });
  const provider = {
    issuer,
    clientId,
    clientSecret,
    scopes: [...new Set(['openid', ...oidcScopes])],
    redirectUrl: publicUrl + callbackPath,
    signedOutUrl: `${publicUrl}/`,
    clock,
  };
  const rules = { admins: oidcAdmins, users: oidcUsers };
  return new SignIn({ provider, publicUrl, rules, users, openSealer: sealerOf(state), clock, logger });
}

/** A browser may come back to another server than the one that it began on. */
function sealerOf(state: SharedState | undefined): () => Promise<Sealer> {
  if (state === undefined) {
    const own = Promise.resolve(new Sealer());
    return () => own;
  }
  const document = state.declareDocument('sign-in-secret', () => {});
  const create = (): Promise<string> =>
    document.change((text = randomBytes(32).toString('base64url')) => ({ text, result: text }));
  return async () => new Sealer(document.text() ?? (await create()));
}

const maxSecretCharacters = 4096;

function readSecret({ oidcClientSecret: secret, oidcClientSecretFile: file }: Settings): string | undefined {
  if (file === '') return secret === '' ? undefined : secret;
  if (secret !== '')
    throw badConfiguration('set HEARTH_OIDC_CLIENT_SECRET or HEARTH_OIDC_CLIENT_SECRET_FILE, not both');
  const text = readSecretFile(file).trim();
  if (text === '' || text.length > maxSecretCharacters) throw badConfiguration(`${file} has no client secret`);
  return text;
}

function readSecretFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw badConfiguration(`HEARTH_OIDC_CLIENT_SECRET_FILE cannot be read: ${messageOf(error)}`);
  }
}
