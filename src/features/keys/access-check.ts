// Who can use the server: keys, and whether it listens on the network.

import { stat } from 'node:fs/promises';
import { isLoopbackUrl, toServerUrl } from '../../base/config/server-url.ts';
import { HearthError, messageOf } from '../../base/errors.ts';
import { type Check, type CheckFinding, ok, problem, warning } from '../check.ts';
import { readKeyFile } from './access/key-file.ts';

export const accessCheck: Check = {
  name: 'access',
  async run({ settings: { host, allowOpen, keysFile, oidcIssuer, state } }) {
    if (state !== '') return [ok('the keys are in the database of HEARTH_STATE')];
    try {
      // Reading blocks the process, so only a regular file is read.
      const info = await stat(keysFile).catch(() => undefined);
      if (info?.isFile() === false) throw new HearthError('bad_key', `${keysFile} is not a file`);
      const keys = readKeyFile(keysFile)?.length ?? 0;
      return [judgeAccess({ isLocal: isLoopbackUrl(toServerUrl(host)), allowOpen, keys, issuer: oidcIssuer })];
    } catch (error) {
      const nextStep = 'restore the file from a backup, or remove it and create keys with `hearth keys create`';
      return [problem(messageOf(error), nextStep)];
    }
  },
};

interface AccessFacts {
  readonly isLocal: boolean;
  /** HEARTH_ALLOW_OPEN. */
  readonly allowOpen: boolean;
  /** The number of keys. */
  readonly keys: number;
  /** HEARTH_OIDC_ISSUER. */
  readonly issuer: string;
}

export function judgeAccess({ isLocal, allowOpen, keys, issuer }: AccessFacts): CheckFinding {
  const where = isLocal ? 'the server listens on this machine only' : 'the server listens on the network';
  if (issuer !== '') return ok(`${where}, and users sign in with ${issuer}`);
  if (keys > 0) return ok(`${where}, and requests need one of ${keys} keys`);
  if (isLocal) return ok(`${where}, and requests need no key`);
  const nextStep = 'create a key with `hearth keys create NAME --scope admin`';
  if (allowOpen) return warning(`${where} without keys: everyone there can use it`, nextStep);
  return problem('the server does not start: it would listen on the network without keys', nextStep);
}
