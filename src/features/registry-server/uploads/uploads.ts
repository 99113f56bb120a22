// Uploads in progress, limited in number, idle time and total time.

import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import type { Store } from '../../../models/store/store.ts';
import { registryServerLimits } from '../limits.ts';
import { protocolError } from '../protocol-error.ts';
import { createUpload, type Upload } from './upload.ts';

interface OpenUpload {
  readonly upload: Upload;
  readonly startedAt: number;
  lastActivity: number;
}

const sweepInterval = 60_000;

export function createUploads({ store, clock, maxBytes }: { store: Store; clock: Clock; maxBytes: number }) {
  const open = new Map<string, OpenUpload>();
  let timer: Timer | undefined;
  const now = (): number => clock.monotonic() / 1e6;

  const sweep = (): void => {
    for (const { upload, startedAt, lastActivity } of open.values()) {
      if (now() - lastActivity > registryServerLimits.uploadIdleMs)
        void upload.cancel('the upload was idle for too long');
      else if (now() - startedAt > registryServerLimits.uploadAgeMs) void upload.cancel('the upload took too long');
    }
    timer = open.size > 0 ? clock.after(sweepInterval, sweep) : undefined;
  };

  return {
    /** Throws if too many are open. */
    begin(repository: string): Upload {
      if (open.size >= registryServerLimits.openUploads)
        throw protocolError('TOOMANYREQUESTS', `too many open uploads (${open.size}); try again later`, {
          'retry-after': '60',
        });
      const id = randomUUID();
      const onActivity = (): void => {
        entry.lastActivity = now();
      };
      const onEnd = (): void => void open.delete(id);
      const upload = createUpload({ id, repository, store, maxBytes, onActivity, onEnd });
      const entry: OpenUpload = { upload, startedAt: now(), lastActivity: now() };
      open.set(id, entry);
      timer ??= clock.after(sweepInterval, sweep);
      return upload;
    },
    /** Throws if there is no such upload to that repository. */
    find(repository: string, id: string): Upload {
      const upload = open.get(id)?.upload;
      if (upload === undefined || upload.repository !== repository)
        throw protocolError('BLOB_UPLOAD_UNKNOWN', 'no such upload: it has ended or was idle for too long');
      return upload;
    },
    /** Resolves when all uploads are canceled and their files removed. */
    async close(): Promise<void> {
      timer?.cancel();
      await Promise.all([...open.values()].map(({ upload }) => upload.cancel('the registry is shutting down')));
    },
  };
}

export type Uploads = ReturnType<typeof createUploads>;
