// Makes the files that a model needs before it is loaded, from blobs in the dialect of Ollama's library.

import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseDigest } from '../../../base/digest.ts';
import type { Logger } from '../../../base/logger.ts';
import { translatedBytes } from '../../../formats/gguf/dialect/read-dialect.ts';
import type { DerivedFile } from '../../../models/derived-file.ts';
import type { Store } from '../../../models/store/store.ts';

type PrepareFiles = (model: string, files: readonly DerivedFile[]) => Promise<void>;

const progressSteps = 10;

export function createPrepareFiles(store: Pick<Store, 'deriveFile'>, logger: Logger): PrepareFiles {
  return async (model, files) => {
    for (const { from, part } of files) {
      const digest = parseDigest(basename(from).replace('sha256-', 'sha256:'));
      await store.deriveFile(digest, part, async (path) => {
        const onProgress = logProgress(logger, { model, part });
        await writeFile(path, translatedBytes(from, part, { onProgress }), { flag: 'wx', mode: 0o644 });
      });
    }
  };
}

/** A line at the start, at each tenth, and at the end. */
function logProgress(logger: Logger, about: Readonly<Record<string, string>>): (done: number, total: number) => void {
  let logged = -1;
  return (done, total) => {
    const step = Math.floor((progressSteps * done) / total);
    if (step === logged) return;
    logged = step;
    const percent = Math.floor((100 * step) / progressSteps);
    logger.info('translating a file from the dialect of Ollama, once', { ...about, bytes: total, percent });
  };
}
