// A program in the place of the converter.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ConvertRequest } from '../../server/services/create/model-sources.ts';
import { createConvertFiles } from './convert-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-convert-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the converter has a limited heap, and a checkpoint that needs more is refused', async () => {
  const script = join(folder, 'program.cjs');
  writeFileSync(
    script,
    `const isLimited = process.execArgv.some((word) => word === '--max-old-space-size=2048');
     console.error(isLimited ? 'FATAL ERROR: JavaScript heap out of memory' : 'error: no limit');
     process.exitCode = 134;`,
  );
  const convert = createConvertFiles({ script, childSettings: {} });
  const request = { files: [], target: join(folder, 'target'), onProgress: () => {} };
  const result = convert({ ...request, signal: new AbortController().signal } as unknown as ConvertRequest);
  await expect(result).rejects.toMatchObject({
    code: 'unsupported',
    message: 'the checkpoint needs more than 2048 MiB to be converted',
  });
});
