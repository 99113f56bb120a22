import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { LineLog } from './line-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('lines are read again, without the part of one that was not finished', async () => {
  const path = join(folder, 'log');
  const log = await LineLog.open(path, () => expect.unreachable());
  expect(log.isEmpty).toBe(true);
  await Promise.all(Array.from({ length: 50 }, (_, index) => log.append(`${index}`.repeat(1000))));
  await log.close();
  appendFileSync(path, '{"custom_id":"cu');

  const lines: string[] = [];
  const again = await LineLog.open(path, (line) => lines.push(line));
  expect(lines).toHaveLength(50);
  await again.append('last');
  await again.close();
  expect(readFileSync(path, 'utf8').split('\n').slice(-3)).toEqual(['49'.repeat(1000), 'last', '']);
});
