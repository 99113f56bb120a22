// Who may push: a file with a public key on each line, as people know it from SSH. It is read again when it has changed,
// so that a key that was taken out is out at once.

import { lstat, readFile, realpath } from 'node:fs/promises';
import { messageOf } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { parsePublicKey, toPublicBlobText } from '../../keys/public-key.ts';
import { createFileCache } from '../../store/files/file-cache.ts';
import { undefinedIfMissing } from '../../store/files/undefined-if-missing.ts';
import { registryServerLimits } from '../limits.ts';
import { protocolError } from '../protocol-error.ts';

export interface AuthorizedKeys {
  /** The comment of a registered key, given as the second word of its line; undefined when it is not registered. */
  find(keyText: string): Promise<string | undefined>;
}

type Registered = ReadonlyMap<string, string>;

export function createAuthorizedKeys({
  path,
  clock,
  logger,
}: {
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
}): AuthorizedKeys {
  const cache = createFileCache<Registered>(clock);
  let complained = '';

  const read = async (): Promise<Registered> => {
    // Where the file is a link (as mounted secrets are), what it leads to is what changes.
    const target = await undefinedIfMissing(realpath(path));
    if (target === undefined) return new Map();
    const cached = cache.get(target);
    if (cached !== undefined) return cached.value;
    const info = await lstat(target);
    if (!info.isFile() || info.size > registryServerLimits.keyFileBytes) throw new Error(`${path} is not a file of keys`);
    const text = await readFile(target, 'utf8');
    const { registered, complaints } = parseKeyFile(text);
    for (const complaint of text === complained ? [] : complaints) logger.warn(`${path}: ${complaint}`);
    complained = text;
    cache.set(target, info, registered);
    return registered;
  };

  return {
    async find(keyText) {
      try {
        return (await read()).get(keyText);
      } catch (error) {
        logger.error('the list of registered keys cannot be read', { reason: messageOf(error) });
        throw protocolError('UNAVAILABLE', 'this library cannot read its list of registered keys');
      }
    },
  };
}

/** Empty lines and those that begin with # are for people. A line that is no key does not spoil the others. */
export function parseKeyFile(text: string): {
  readonly registered: Registered;
  readonly complaints: readonly string[];
} {
  const registered = new Map<string, string>();
  const complaints: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    try {
      const key = parsePublicKey(line);
      registered.set(toPublicBlobText(key), key.comment);
    } catch (error) {
      complaints.push(`line ${index + 1} is not used: ${messageOf(error)}`);
    }
  }
  return { registered, complaints };
}
