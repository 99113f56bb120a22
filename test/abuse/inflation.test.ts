// Inflates each field of each documented body: a long string, a long array, deep nesting. No request is a server error,
// none takes the server's thread for long or much memory, and an ordinary client does not notice.

import { Agent, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive, residentBytes, threadTimeMs } from '../support/processes.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { measure, startClient } from './harness.ts';

const megabyte = 2 ** 20;
const stringBytes = Number(process.env['HEARTH_INFLATE_MB'] ?? 2) * megabyte;
// Not more than a body may have.
const arrayItems = 90_000;
const depth = 5000;
// As for the other attacks: machines are busy.
const limitMs = 2000;
// Beyond what the server has at the start: garbage of many bodies, and caches.
const limitBytes = 384 * megabyte;

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly maxLength?: number;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
}

const kinds = ['string', 'array', 'depth'] as const;

interface Inflated {
  readonly path: string;
  readonly method: string;
  /** Such as `messages[].content`. */
  readonly field: string;
  readonly kind: (typeof kinds)[number];
  /** The body around the inflated value. */
  readonly before: string;
  readonly after: string;
}

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Every field, with the JSON text around it. The model does not exist, so that nothing is generated. */
function* fieldsOf(
  schema: Schema,
  around: readonly [string, string],
  path = '',
): Generator<Pick<Inflated, 'field' | 'before' | 'after'>> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const given = path === '' && name !== 'model' && 'model' in (schema.properties ?? {}) ? '"model":"missing",' : '';
    const before = `${around[0]}{${given}${JSON.stringify(name)}:`;
    const after = `}${around[1]}`;
    const label = path === '' ? name : `${path}.${name}`;
    yield { field: label, before, after };
    for (const part of [field, ...(field.anyOf ?? [])]) {
      yield* fieldsOf(part, [before, after], label);
      if (part.items) yield* fieldsOf(part.items, [`${before}[`, `]${after}`], `${label}[]`);
    }
  }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

async function listInflated(): Promise<Inflated[]> {
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => ({
      path,
      method,
      schema: requestBody?.content['application/json']?.schema ?? {},
    })),
  );
  return operations.flatMap(({ path, method, schema }) =>
    [...fieldsOf(schema, ['', ''])]
      // Options are the same in every route.
      .filter(({ field }) => !field.startsWith('options.') || path === '/api/generate')
      .flatMap((each) => kinds.map((kind) => ({ path: path.replaceAll(/\{\w+\}/g, 'x'), method, kind, ...each }))),
  );
}

const values = {
  string: Buffer.from(`"${'1h'.repeat(stringBytes / 2)}"`),
  array: Buffer.from(`[${'"",'.repeat(arrayItems)}""]`),
  depth: Buffer.from('['.repeat(depth) + ']'.repeat(depth)),
};

const bodyOf = ({ before, after, kind }: Inflated): Buffer =>
  Buffer.concat([Buffer.from(before), values[kind], Buffer.from(after)]);

// As most clients: a connection is used for several requests.
const agent = new Agent({ keepAlive: true });

interface Answer {
  readonly status: number;
  readonly text: string;
}

function send({ path, method, field, kind }: Inflated, body: Buffer): Promise<Answer> {
  const headers = { 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(server.url + path, { method: method.toUpperCase(), agent, headers }, async (response) => {
      resolve({ status: response.statusCode ?? 0, text: await text(response) });
    });
    sent.on('error', (cause) => reject(new Error(`${method} ${path} ${field} ${kind}: no answer`, { cause })));
    sent.end(body);
  });
}

test('no inflated field stops the server', { timeout: 600_000 }, async () => {
  const rows: (Answer & { readonly label: string; readonly ms: number })[] = [];
  const bytesBefore = residentBytes(server.pid);
  let mostBytes = 0;
  const run = async (): Promise<void> => {
    for (const each of await listInflated()) {
      const body = bodyOf(each);
      const begun = threadTimeMs(server.pid);
      const answer = await send(each, body);
      rows.push({
        ...answer,
        label: `${each.method} ${each.path} ${each.field} ${each.kind}`,
        ms: threadTimeMs(server.pid) - begun,
      });
      mostBytes = Math.max(mostBytes, residentBytes(server.pid) - bytesBefore);
    }
  };
  const client = startClient(server.url);
  const row = await measure(server, client, { name: 'inflated fields', run }).finally(client.stop);
  const slowest = rows.toSorted((a, b) => b.ms - a.ms).slice(0, 12);
  const lines = slowest.map(({ label, ms, status }) => `${ms.toFixed(0).padStart(6)} ms  ${status}  ${label}`);
  process.stdout.write(
    `\n${rows.length} requests with ${stringBytes / megabyte} MiB, ${arrayItems} elements or ${depth} levels in one field. ` +
      `Longest wait of another client: ${row.during.toFixed(0)} ms. Most memory: ${(mostBytes / megabyte).toFixed(0)} MiB more than before. Most time of the server's thread:\n${lines.join('\n')}\n`,
  );
  expect(rows.length).toBeGreaterThan(100);
  // Ollama answers 500 to an option of a wrong type.
  const failed = rows.filter(({ status, text }) => status >= 500 && !text.includes('"code":"bad_option"'));
  expect(failed).toEqual([]);
  expect(isAlive(server.pid)).toBe(true);
  expect(row.during).toBeLessThan(limitMs);
  expect(mostBytes).toBeLessThan(limitBytes);
});
