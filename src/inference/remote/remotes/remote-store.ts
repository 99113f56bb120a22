// The remotes and their file, which only its owner can read. A change of the file, by this server or by hand, is seen
// within a second.

import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/files/make-folder.ts';
import { fileVersion, replaceFile } from '../../../base/files/replace-file.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import type { Endpoint } from '../endpoint.ts';
import { checkRemote, decodeRemotes, encodeRemotes, type RemoteRecord, remoteLimits } from './remote-record.ts';

interface RemoteStoreOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const maxBytes = 16 * 2 ** 20;

/** Throws `bad_configuration` if the file is damaged. */
export function createRemoteStore({ path, clock, logger }: RemoteStoreOptions) {
  let seen = fileVersion(path);
  let remotes = read(path);
  let checkedAt = clock.monotonic();
  let changes: Promise<unknown> = Promise.resolve();

  const reload = (version: string): void => {
    seen = version;
    try {
      remotes = read(path);
      logger.info('read the remotes again', { remotes: remotes.length });
    } catch (error) {
      logger.error('the remotes were not changed', { reason: messageOf(error) });
    }
  };
  const current = (): readonly RemoteRecord[] => {
    const now = clock.monotonic();
    if (now - checkedAt < nanosecondsPerSecond) return remotes;
    checkedAt = now;
    const version = fileVersion(path);
    if (version !== seen) reload(version);
    return remotes;
  };
  /** One change at a time. */
  const change = <Result>(edit: () => { readonly all: readonly RemoteRecord[]; readonly result: Result }) => {
    const work = changes.then(async () => {
      checkedAt = Number.NEGATIVE_INFINITY;
      current();
      const { all, result } = edit();
      await makeFolder(dirname(path), { mode: 0o700 });
      await replaceFile(path, encodeRemotes(all));
      seen = fileVersion(path);
      remotes = [...all];
      return result;
    });
    changes = work.catch(() => {});
    return work;
  };

  return {
    list: current,
    find: (name: string): RemoteRecord | undefined => current().find((remote) => remote.name === name),
    /** Adds endpoints to a remote, which is created if necessary. An endpoint with the same URL is replaced. */
    add: (name: string, endpoints: readonly Endpoint[]): Promise<RemoteRecord> =>
      change(() => {
        const old = remotes.find((remote) => remote.name === name);
        const added = new Map([...(old?.endpoints ?? []), ...endpoints].map((endpoint) => [endpoint.id, endpoint]));
        const result = checkRemote({ name, endpoints: [...added.values()] });
        if (old === undefined && remotes.length >= remoteLimits.remotes)
          throw new HearthError('bad_request', `there are already ${remoteLimits.remotes} remotes`);
        return { all: [...remotes.filter((remote) => remote !== old), result], result };
      }),
    /** `url`: removes only this endpoint. Throws `remote_not_found`. */
    remove: (name: string, url?: string): Promise<void> =>
      change(() => {
        const old = remotes.find((remote) => remote.name === name);
        const left = old?.endpoints.filter((endpoint) => url !== undefined && endpoint.url !== url) ?? [];
        if (old === undefined || left.length === old.endpoints.length) throw notFound(name, url);
        const others = remotes.filter((remote) => remote !== old);
        return { all: left.length === 0 ? others : [...others, { name, endpoints: left }], result: undefined };
      }),
  };
}

export type RemoteStore = ReturnType<typeof createRemoteStore>;

function notFound(name: string, url: string | undefined): HearthError {
  const what = url === undefined ? '' : ` with the endpoint ${url.slice(0, 200)}`;
  return new HearthError('remote_not_found', `there is no remote "${name.slice(0, 100)}"${what}`);
}

function read(path: string): readonly RemoteRecord[] {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) return [];
  try {
    if (info.size > maxBytes) throw new Error(`larger than ${maxBytes} bytes`);
    return decodeRemotes(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new HearthError('bad_configuration', `the file of remotes ${path} cannot be used: ${messageOf(error)}`);
  }
}
