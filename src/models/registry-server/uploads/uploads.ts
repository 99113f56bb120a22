// The uploads that are under way: so many at most, and none for ever.

import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import type { Store } from '../../store/store.ts';
import { registryServerLimits } from '../limits.ts';
import { protocolError } from '../protocol-error.ts';
import { createUpload, type Upload } from './upload.ts';

export interface Uploads {
  /** Throws when too many are open. */
  begin(repository: string): Upload;
  /** Throws when there is no such upload to that repository. */
  find(repository: string, id: string): Upload;
  /** Resolves when nothing is left of them. */
  close(): Promise<void>;
}

interface Open {
  readonly upload: Upload;
  readonly since: number;
  lastSign: number;
}

const sweepEvery = 60_000;

export function createUploads({ store, clock, maxBytes }: { store: Store; clock: Clock; maxBytes: number }): Uploads {
  const open = new Map<string, Open>();
  let timer: Timer | undefined;
  const now = (): number => clock.monotonic() / 1e6;

  const sweep = (): void => {
    for (const { upload, since, lastSign } of open.values()) {
      if (now() - lastSign > registryServerLimits.uploadIdleMs) void upload.cancel('the upload rested for too long');
      else if (now() - since > registryServerLimits.uploadAgeMs) void upload.cancel('the upload took too long');
    }
    timer = open.size > 0 ? clock.after(sweepEvery, sweep) : undefined;
  };

  return {
    begin(repository) {
      if (open.size >= registryServerLimits.openUploads)
        throw protocolError('TOOMANYREQUESTS', `${open.size} uploads are open already; try again later`, {
          'retry-after': '60',
        });
      const id = randomUUID();
      const onActivity = (): void => {
        entry.lastSign = now();
      };
      const onEnd = (): void => void open.delete(id);
      const upload = createUpload({ id, repository, store, maxBytes, onActivity, onEnd });
      const entry: Open = { upload, since: now(), lastSign: now() };
      open.set(id, entry);
      timer ??= clock.after(sweepEvery, sweep);
      return upload;
    },
    find(repository, id) {
      const upload = open.get(id)?.upload;
      if (upload === undefined || upload.repository !== repository)
        throw protocolError('BLOB_UPLOAD_UNKNOWN', 'there is no such upload: it is over, or it rested for too long');
      return upload;
    },
    async close() {
      timer?.cancel();
      await Promise.all([...open.values()].map(({ upload }) => upload.cancel('the library is stopping')));
    },
  };
}
