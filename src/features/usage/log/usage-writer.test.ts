import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createLogger } from '../../../base/logger.ts';
import { createUsageWriter, type UsageWriter } from './usage.ts';
import { createUsageFiles } from './usage-files.ts';
import { formatRecord, type UsageRecord } from './usage-record.ts';

const day = 24 * 3600 * 1000;
let root: string;
let folder: string;
const writers: UsageWriter[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hearth-usage-'));
  folder = join(root, 'state', 'usage');
});
afterEach(async () => {
  for (const writer of writers.splice(0)) await writer.close();
  rmSync(root, { recursive: true, force: true });
});

function setUp(maxBytes = 2 ** 20) {
  const clock = createFakeClock(Date.UTC(2026, 10, 16, 12));
  const logs: string[] = [];
  const logger = createLogger({ clock, level: 'info', write: (line) => void logs.push(line) });
  const writer = createUsageWriter({ home: createUsageFiles({ folder, maxBytes, clock }), clock, logger });
  writers.push(writer);
  return { clock, logs, writer };
}

function recordOf(model: string): UsageRecord {
  const tokens = { promptTokens: 1, cachedTokens: 0, generatedTokens: 2 };
  return { time: 0, key: '', model, dialect: 'ollama', ...tokens, milliseconds: 3, outcome: 'ok' };
}

const files = (): string[] => readdirSync(folder).sort();
const contentOf = (name: string): string => readFileSync(join(folder, name), 'utf8');
const today = 'usage-2026-11-16-0001.jsonl';

test('records are written in order, to a file that only its owner can read', async () => {
  const { writer } = setUp();
  for (const model of ['a', 'b', 'c']) writer.record(recordOf(model));
  await writer.settled();
  expect(files()).toEqual([today]);
  expect(contentOf(today)).toBe(['a', 'b', 'c'].map((model) => formatRecord(recordOf(model))).join(''));
  expect([statSync(join(folder, today)).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
});

test('nothing is created before the first record', () => {
  setUp();
  expect(existsSync(folder)).toBe(false);
});

test('each day has its own file, and a restart continues that of the day', async () => {
  const { clock, writer } = setUp();
  writer.record(recordOf('a'));
  await writer.settled();
  clock.advance(day);
  writer.record(recordOf('b'));
  await writer.close();
  const later = setUp();
  later.writer.record(recordOf('c'));
  await later.writer.settled();
  expect(files()).toEqual([today, 'usage-2026-11-17-0001.jsonl']);
  expect(contentOf(today)).toBe(formatRecord(recordOf('a')) + formatRecord(recordOf('c')));
});

test('an unfinished line is ended before the next record', async () => {
  const first = setUp();
  first.writer.record(recordOf('a'));
  await first.writer.close();
  appendFileSync(join(folder, today), formatRecord(recordOf('b')).slice(0, 20));
  const { writer } = setUp();
  writer.record(recordOf('c'));
  await writer.settled();
  expect(contentOf(today).split('\n')).toEqual([
    formatRecord(recordOf('a')).trimEnd(),
    formatRecord(recordOf('b')).slice(0, 20),
    formatRecord(recordOf('c')).trimEnd(),
    '',
  ]);
});

test('the log never exceeds its size, and keeps the newest records', async () => {
  const maxBytes = 8000;
  const { writer } = setUp(maxBytes);
  for (let index = 0; index < 200; index++) {
    writer.record(recordOf(`m${index}`));
    await writer.settled();
    const bytes = files().reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(bytes).toBeLessThanOrEqual(maxBytes + formatRecord(recordOf('m100')).length);
  }
  expect(files().length).toBeGreaterThan(3);
  expect(contentOf(files().at(-1) ?? '')).toContain('"m199"');
});

test('other files in the folder stay', async () => {
  const { writer } = setUp(8000);
  writer.record(recordOf('a'));
  await writer.settled();
  writeFileSync(join(folder, 'notes.txt'), 'x'.repeat(10_000));
  for (let index = 0; index < 100; index++) writer.record(recordOf('b'));
  await writer.settled();
  expect(files()).toContain('notes.txt');
});

test('a disk that does not take records is reported once, and again when it does', async () => {
  writeFileSync(join(root, 'state'), 'not a folder');
  const { writer, logs } = setUp();
  for (const model of ['a', 'b']) {
    writer.record(recordOf(model));
    await writer.settled();
  }
  expect(logs).toHaveLength(1);
  expect(logs[0]).toContain('usage is not recorded');
  rmSync(join(root, 'state'));
  writer.record(recordOf('c'));
  await writer.settled();
  expect(logs[1]).toContain('usage is recorded again');
  expect(logs[1]).toContain('lost=2');
  expect(contentOf(today)).toBe(formatRecord(recordOf('c')));
});

test.runIf(process.platform === 'linux')('a full disk is reported', async () => {
  mkdirSync(folder, { recursive: true });
  // A write to it fails with ENOSPC.
  symlinkSync('/dev/full', join(folder, today));
  const { writer, logs } = setUp();
  writer.record(recordOf('a'));
  await writer.settled();
  expect(logs.join()).toContain('ENOSPC');
});

test('records that a disk does not take in time are limited', async () => {
  const { writer, logs } = setUp(2 ** 24);
  for (let index = 0; index < 20_000; index++) writer.record(recordOf('a'));
  await writer.settled();
  expect(logs.join()).toContain('the disk does not respond');
  const lines = files().reduce((sum, name) => sum + contentOf(name).split('\n').length - 1, 0);
  expect(lines).toBeGreaterThanOrEqual(10_000);
  expect(lines).toBeLessThan(20_000);
});
