import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openServerLog } from './server-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the last lines are of this start, without control characters', async () => {
  const path = join(folder, 'new/server.log');
  const first = await openServerLog(path);
  expect(await first.lastLines()).toEqual([]);
  appendFileSync(path, 'before\n');
  await first.close();
  const second = await openServerLog(path);
  expect(await second.lastLines()).toEqual([]);
  appendFileSync(path, `${'x'.repeat(10_000)}\none\nError: \u001b[31mtwo\n`);
  expect((await second.lastLines()).slice(-2)).toEqual(['one', 'Error: [31mtwo']);
  await second.close();
  expect(readFileSync(path, 'utf8')).toMatch(/^before\nx+\none\n/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a large log is kept under another name', async () => {
  const path = join(folder, 'server.log');
  writeFileSync(path, 'x'.repeat(2 ** 20 + 1));
  await (await openServerLog(path)).close();
  expect([statSync(path).size, statSync(`${path}.old`).size]).toEqual([0, 2 ** 20 + 1]);
});

test('a log that cannot be written is an error with the next step', async () => {
  await expect(openServerLog('/dev/null/server.log')).rejects.toThrow(
    'cannot write the log of the server, /dev/null/server.log: a part of the path is a file, not a folder. Make the home folder writable',
  );
});
