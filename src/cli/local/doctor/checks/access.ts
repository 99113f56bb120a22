// Who can use the server: keys, and whether it listens on the network.

import { stat } from 'node:fs/promises';
import { isLoopbackUrl } from '../../../../base/config/server-url.ts';
import { HearthError, messageOf } from '../../../../base/errors.ts';
import { readKeyFile } from '../../../../server/access/key-file.ts';
import { type CheckFinding, defineCheck, ok, problem, usualTimeLimit, warning } from '../check.ts';

export interface AccessFacts {
  readonly isLocal: boolean;
  /** HEARTH_ALLOW_OPEN. */
  readonly allowOpen: boolean;
  readonly keys: number;
  /** Why the file of keys cannot be used. */
  readonly failure?: string;
}

export const accessCheck = defineCheck<AccessFacts>({
  name: 'access',
  timeLimit: usualTimeLimit,
  async gather({ settings: { host, allowOpen, keysFile } }) {
    const name = host.host.includes(':') ? `[${host.host}]` : host.host;
    const known = { isLocal: isLoopbackUrl(`http://${name}`), allowOpen };
    try {
      // Reading blocks the process, so a file that cannot be asked and one that is not a file are not read.
      const info = await stat(keysFile).catch(() => undefined);
      if (info?.isFile() === false) throw new HearthError('bad_key', `${keysFile} is not a file`);
      return { ...known, keys: readKeyFile(keysFile)?.length ?? 0 };
    } catch (error) {
      return { ...known, keys: 0, failure: messageOf(error) };
    }
  },
  judge: judgeAccess,
});

export function judgeAccess({ isLocal, allowOpen, keys, failure }: AccessFacts): CheckFinding[] {
  if (failure !== undefined)
    return [problem(failure, 'restore the file from a backup, or remove it and create keys with `hearth keys create`')];
  const where = isLocal ? 'the server listens on this machine only' : 'the server listens on the network';
  if (keys > 0) return [ok(`${where}, and requests need one of ${keys} keys`)];
  if (isLocal) return [ok(`${where}, and requests need no key`)];
  const nextStep = 'create a key with `hearth keys create NAME --scope admin`';
  return allowOpen
    ? [warning(`${where} without keys: everyone there can use it`, nextStep)]
    : [problem('the server does not start: it would listen on the network without keys', nextStep)];
}
