// Sign-in as the settings describe it.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { badConfiguration, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { Settings } from '../../settings/setting-table.ts';
import { Sealer } from './sealer.ts';
import { SignIn } from './sign-in.ts';
import { callbackPath } from './sign-in-routes.ts';
import { UserStore } from './users/user-store.ts';

interface SignInParts {
  readonly settings: Settings;
  /** Whether a key has this name. */
  readonly isNameTaken: (name: string) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Undefined without a provider. Throws if a setting is missing, or the file of users is damaged. */
export function createSignIn({ settings, isNameTaken, clock, logger }: SignInParts): SignIn | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, publicUrl, oidcScopes, oidcAdmins, oidcUsers } = settings;
  if (issuer === '') return undefined;
  if (clientId === '') throw badConfiguration('HEARTH_OIDC_ISSUER needs HEARTH_OIDC_CLIENT_ID too');
  if (publicUrl === '')
    throw badConfiguration(
      'HEARTH_OIDC_ISSUER needs HEARTH_PUBLIC_URL too: the address of this server that browsers use',
    );
  const clientSecret = readSecret(settings);
  const users = new UserStore({
    path: join(dirname(settings.keysFile), 'users.json'),
    issuer,
    graceMs: settings.oidcGrace,
    sealer: clientSecret === undefined ? undefined : new Sealer(clientSecret),
    isNameTaken,
    clock,
    logger,
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
  return new SignIn({ provider, publicUrl, rules: { admins: oidcAdmins, users: oidcUsers }, users, clock, logger });
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
