// The keys that may push: a file in the format of SSH's authorized_keys. It is read again whenever it changes, so that
// removing a key takes effect at once.

import { lstat, readFile, realpath } from 'node:fs/promises';
import { messageOf } from '../../../base/errors.ts';
import { undefinedIfMissing } from '../../../base/files/undefined-if-missing.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { parsePublicKey, toPublicBlobText } from '../../../models/keys/public-key.ts';
import { createFileCache } from '../../../models/store/files/file-cache.ts';
import { registryServerLimits } from '../limits.ts';
import { protocolError } from '../protocol-error.ts';

/** Comments by key. */
type RegisteredKeys = ReadonlyMap<string, string>;

export function createAuthorizedKeys({
  path,
  clock,
  logger,
}: {
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
}) {
  const cache = createFileCache<RegisteredKeys>(clock);
  let lastReported = '';

  const read = async (): Promise<RegisteredKeys> => {
    // If the file is a link, as mounted secrets are, its target changes.
    const target = await undefinedIfMissing(realpath(path));
    if (target === undefined) return new Map();
    const cached = cache.get(target);
    if (cached !== undefined) return cached.value;
    const info = await lstat(target);
    if (!info.isFile() || info.size > registryServerLimits.keyFileBytes)
      throw new Error(`${path} is not a regular file or is too large`);
    const text = await readFile(target, 'utf8');
    const { registered, problems } = parseKeyFile(text);
    for (const problem of text === lastReported ? [] : problems) logger.warn(`${path}: ${problem}`);
    lastReported = text;
    cache.set(target, info, registered);
    return registered;
  };

  return {
    /** The comment of a key, given as base64; undefined if the key is not registered. */
    async find(keyText: string): Promise<string | undefined> {
      try {
        return (await read()).get(keyText);
      } catch (error) {
        logger.error('cannot read the authorized keys', { reason: messageOf(error) });
        throw protocolError('UNAVAILABLE', 'this registry cannot read its authorized keys');
      }
    },
  };
}

export type AuthorizedKeys = ReturnType<typeof createAuthorizedKeys>;

/** Ignores empty lines and comments (#). An invalid line does not affect the others. */
function parseKeyFile(text: string): {
  readonly registered: RegisteredKeys;
  readonly problems: readonly string[];
} {
  const registered = new Map<string, string>();
  const problems: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    try {
      const key = parsePublicKey(line);
      registered.set(toPublicBlobText(key), key.comment);
    } catch (error) {
      problems.push(`line ${index + 1} is ignored: ${messageOf(error)}`);
    }
  }
  return { registered, problems };
}
