// Batches through OpenAI's SDK and the command: nothing is lost or answered twice when the server is killed.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Body, generate, post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import { pause } from '../support/processes.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-batches-'));
const environment = { HEARTH_CONTEXT_LENGTH: '256', HEARTH_NUM_PARALLEL: '4' };
const url = '/v1/chat/completions';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ store: folder, environment });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const connect = (apiKey = 'none') => new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 0 });

function question(id: string, body: object = {}): string {
  const messages = [{ role: 'user', content: `Count to ${id.length}.` }];
  return JSON.stringify({
    custom_id: id,
    method: 'POST',
    url,
    body: { model: 'ember', max_tokens: 12, messages, ...body },
  });
}

async function create(lines: readonly string[], client = connect()): Promise<OpenAI.Batch> {
  const file = await client.files.create({
    file: await toFile(Buffer.from(`${lines.join('\n')}\n`), 'questions.jsonl'),
    purpose: 'batch',
  });
  return client.batches.create({ input_file_id: file.id, endpoint: url, completion_window: '24h' });
}

const finished = ['completed', 'failed', 'cancelled', 'expired'];

async function waitFor(id: string, client = connect()): Promise<OpenAI.Batch> {
  for (;;) {
    const batch = await client.batches.retrieve(id);
    if (finished.includes(batch.status)) return batch;
    await pause(50);
  }
}

interface Answer {
  readonly custom_id: string;
  readonly response: {
    readonly status_code: number;
    readonly request_id: string;
    readonly body: OpenAI.ChatCompletion;
  };
}

async function linesOf(fileId: string | undefined, client = connect()): Promise<Answer[]> {
  const text = await (await client.files.content(fileId ?? '')).text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

describe('a batch', () => {
  test('goes on after the server was killed: each line has one answer', { timeout: 60_000 }, async () => {
    const ids = Array.from({ length: 24 }, (_, index) => `line ${index}`);
    const { id } = await create([...ids.map((name) => question(name)), question('wrong', { model: 'no-such-model' })]);
    const client = connect();
    while (((await client.batches.retrieve(id)).request_counts?.completed ?? 0) < 4) await pause(20);
    server.signal('SIGKILL');
    await server.exit;
    server = await startServer({ store: folder, environment });

    const batch = await waitFor(id);
    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: ids.length + 1, completed: ids.length, failed: 1 },
    });
    const answers = await linesOf(batch.output_file_id);
    expect(answers.map(({ custom_id }) => custom_id).toSorted()).toEqual(ids.toSorted());
    for (const { response } of answers) {
      expect(response).toMatchObject({ status_code: 200, request_id: expect.stringMatching(/^[0-9a-f]{16}$/) });
      expect(response.body.usage?.completion_tokens).toBeGreaterThan(0);
    }
    expect(await linesOf(batch.error_file_id)).toMatchObject([{ custom_id: 'wrong', response: { status_code: 404 } }]);
  });

  test('with lines that are wrong names them, and asks nothing', async () => {
    const streamed = question('c', { stream: true });
    const { id } = await create([question('a'), '{', question('a'), question('b').replace(url, '/v1/other'), streamed]);
    const batch = await waitFor(id);
    expect(batch.status).toBe('failed');
    expect(batch.errors?.data?.map(({ code, line }) => [code, line])).toEqual([
      ['invalid_json_line', 2],
      ['duplicate_custom_id', 3],
      ['mismatched_url', 4],
      ['invalid_body', 5],
    ]);
  });

  test('that is canceled keeps its answers, and a request of a person ends before it', {
    timeout: 60_000,
  }, async () => {
    const client = connect();
    const { id } = await create(
      Array.from({ length: 40 }, (_, index) => question(`long ${index}`, { max_tokens: 100, ignore_eos: true })),
    );
    while (((await client.batches.retrieve(id)).status as string) === 'validating') await pause(10);
    // A person's request is answered although all lines want to run.
    await generate(server.url, { prompt: 'Hi', options: { num_predict: 4 } });
    const during = await client.batches.retrieve(id);
    expect(during.request_counts?.completed).toBeLessThan(40);
    await client.batches.cancel(id);
    const batch = await waitFor(id);
    expect(batch.status).toBe('cancelled');
    const { completed = 0 } = batch.request_counts ?? {};
    expect(batch.output_file_id === null ? 0 : (await linesOf(batch.output_file_id)).length).toBe(completed);
  });

  test('of the command writes the answers, and says what failed', { timeout: 60_000 }, async () => {
    const input = join(folder, 'questions.jsonl');
    const output = join(folder, 'answers.jsonl');
    writeFileSync(input, [question('one'), question('two', { model: 'missing' })].join('\n'));
    const { code, stderr } = await hearth(['batch', input, '--output', output], { url: server.url });
    expect(stderr).toMatch(/completed: 1 answers, 1 failed/);
    expect(code).toBe(1);
    const ids = readFileSync(output, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as Answer).custom_id);
    expect(ids).toEqual(['one', 'two']);
    const id = /batch_[0-9a-f]{24}/.exec(stderr)?.[0] ?? '';
    const again = await hearth(['batch', '--id', id], { url: server.url });
    expect(again.stdout).toBe(readFileSync(output, 'utf8'));
  });

  test('needs its key, which others do not share', { timeout: 60_000 }, async () => {
    const newKey = async (body: Body, headers: Record<string, string> = {}): Promise<string> =>
      (await post<{ readonly key: string }>(server.url, '/api/keys', body, { headers })).objects[0]?.key ?? '';
    const admin = await newKey({ name: 'ops', scope: 'admin' });
    const headers = { authorization: `Bearer ${admin}` };
    const anna = connect(await newKey({ name: 'anna' }, headers));
    const { id } = await create([question('a')], anna);
    expect((await waitFor(id, anna)).request_counts).toEqual({ total: 1, completed: 1, failed: 0 });
    await expect(connect(admin).batches.retrieve(id)).rejects.toMatchObject({ status: 404 });

    const { id: second } = await create(
      ['b', 'c', 'd', 'e', 'f', 'g'].map((name) => question(name)),
      anna,
    );
    await fetch(`${server.url}/api/keys/anna`, { method: 'DELETE', headers });
    await expect(anna.batches.retrieve(second)).rejects.toMatchObject({ status: 401 });
  });
});
