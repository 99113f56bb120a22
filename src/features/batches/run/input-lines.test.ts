import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { indexLines, readRequest } from './input-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

const endpoint = '/v1/embeddings';
const { signal } = new AbortController();
const toLine = (fields: object): string =>
  JSON.stringify({ custom_id: 'a', method: 'POST', url: endpoint, body: { input: 'ä' }, ...fields });

function write(text: string | Buffer): string {
  const path = join(folder, 'input');
  writeFileSync(path, text);
  return path;
}

test('each line is found again, whatever separates it from others', async () => {
  const ids = ['first', 'ü', 'last'];
  const path = write(ids.map((id) => toLine({ custom_id: id, body: { id } })).join('\r\n\n \n'));
  const { lines, problems } = await indexLines(path, endpoint, signal);
  expect([lines.map(({ customId }) => customId), problems]).toEqual([ids, []]);
  const file = await open(path);
  try {
    for (const line of lines) {
      const { customId, body } = await readRequest(file, line, endpoint);
      expect(JSON.parse(body.toString())).toEqual({ id: customId });
    }
  } finally {
    await file.close();
  }
});

test.each([
  ['', 'empty_file', null],
  ['{', 'invalid_json_line', 1],
  ['null', 'invalid_custom_id', 1],
  [toLine({ custom_id: 7 }), 'invalid_custom_id', 1],
  [toLine({ custom_id: 'x'.repeat(513) }), 'invalid_custom_id', 1],
  [toLine({ method: 'GET' }), 'invalid_method', 1],
  [toLine({ url: '/api/delete' }), 'mismatched_url', 1],
  [toLine({ body: [] }), 'invalid_body', 1],
  [toLine({ body: { stream: true } }), 'invalid_body', 1],
  [`${toLine({})}\n${toLine({})}`, 'duplicate_custom_id', 2],
  ['['.repeat(1_000_000), 'invalid_json_line', 1],
  [`"${'x'.repeat(5 * 2 ** 20)}"`, 'line_too_long', 1],
])('%.30j is refused', async (text, code, line) => {
  const { problems } = await indexLines(write(text), endpoint, signal);
  expect(problems).toMatchObject([{ code, line }]);
});

test('a file of lines that are wrong is not read to its end', async () => {
  const { problems } = await indexLines(write('{\n'.repeat(100_000)), endpoint, signal);
  expect(problems).toHaveLength(100);
});

test('a file has at most 50,000 lines', async () => {
  const text = Array.from({ length: 50_002 }, (_, index) => toLine({ custom_id: String(index), body: {} })).join('\n');
  const { problems } = await indexLines(write(text), endpoint, signal);
  expect(problems).toMatchObject([{ code: 'too_many_lines', line: 50_001 }]);
});
