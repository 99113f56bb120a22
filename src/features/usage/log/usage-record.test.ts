import { expect, test } from 'vitest';
import { formatRecord, maxLineBytes, parseRecord, type UsageRecord } from './usage-record.ts';

const record: UsageRecord = {
  time: Date.UTC(2026, 10, 16, 9, 30),
  key: 'anna',
  model: 'ember:latest',
  dialect: 'openai',
  promptTokens: 12,
  cachedTokens: 3,
  generatedTokens: 40,
  milliseconds: 512,
  outcome: 'ok',
};

test('a record is one line and is read as it was written', () => {
  const line = formatRecord(record);
  expect(line).toBe(
    '{"time":"2026-11-16T09:30:00.000Z","key":"anna","model":"ember:latest","dialect":"openai","prompt_tokens":12,"cached_tokens":3,"generated_tokens":40,"duration_ms":512,"outcome":"ok"}\n',
  );
  expect(parseRecord(line.trimEnd())).toEqual(record);
  expect(parseRecord(formatRecord({ ...record, key: '' }).trimEnd())).toEqual({ ...record, key: '' });
});

test('names cannot make more lines or lines that are too long', () => {
  const line = formatRecord({ ...record, key: '\n"}{', model: '\u0000'.repeat(10_000) });
  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(Buffer.byteLength(line)).toBeLessThan(maxLineBytes);
});

test('every part of a line is not a record', () => {
  const line = formatRecord(record).trimEnd();
  for (let end = 0; end < line.length; end++) expect(parseRecord(line.slice(0, end))).toBeUndefined();
});

test.each(['{}', '[]', 'null', '{"time":1}', '{"time":"yesterday"}', '{"time"}'])('%s is not a record', (line) => {
  expect(parseRecord(line)).toBeUndefined();
});

test('values of another type count as none', () => {
  const line =
    '{"time":"2026-11-16T09:30:00Z","key":1,"model":{},"prompt_tokens":"7","cached_tokens":-1,"outcome":null}';
  expect(parseRecord(line)).toMatchObject({ key: '', model: '', promptTokens: 0, cachedTokens: 0, outcome: '' });
});
