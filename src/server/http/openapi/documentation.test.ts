import { gunzipSync } from 'node:zlib';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { ollamaDialect } from '../../dialects/shared/ollama-dialect.ts';
import type { Route } from '../route.ts';
import { withDocumentation } from './documentation.ts';
import type { OpenApiDocument } from './to-openapi.ts';

const route = (method: Route['method'], path: string): Route => ({
  dialect: ollamaDialect,
  method,
  scope: 'infer',
  path,
  summary: 'Do it',
  handle: () => ({}),
});

interface Sent {
  readonly body: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Calls the handler of a route. */
async function get(routes: readonly Route[], path: string, headers: Record<string, string> = {}): Promise<Sent> {
  const sent = { body: undefined as unknown, status: 200, headers: {} as Record<string, string> };
  const reply = {
    type: () => reply,
    header: (name: string, value: string) => reply.headers({ [name]: value }),
    headers(added: Record<string, string>) {
      Object.assign(sent.headers, added);
      return reply;
    },
    code(status: number) {
      sent.status = status;
      return reply;
    },
    send(body: unknown) {
      sent.body = body;
      return reply;
    },
  };
  await routes.find((candidate) => candidate.path === path)?.handle({ headers } as never, reply as never);
  return sent;
}

test.each(['/openapi.json', '/docs'])('%s is made and compressed once, and not sent again', async (path) => {
  const all = withDocumentation({ version: '1.2.3', dialect: ollamaDialect, operations: {} }, [route('GET', '/a')]);
  const plain = await get(all, path);
  expect((await get(all, path)).body).toBe(plain.body);
  const compressed = await get(all, path, { 'accept-encoding': 'br, gzip' });
  expect(compressed.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(compressed.body as Buffer)).toEqual(plain.body);
  expect((await get(all, path, { 'accept-encoding': 'gzip' })).body).toBe(compressed.body);
  expect((await get(all, path, { 'accept-encoding': 'gzip;q=0' })).body).toBe(plain.body);
  for (const { headers } of [plain, compressed]) {
    const accepted = headers['content-encoding'] ?? 'identity';
    const again = await get(all, path, { 'accept-encoding': accepted, 'if-none-match': String(headers['etag']) });
    expect([again.status, again.body]).toEqual([304, undefined]);
  }
  expect(plain.headers['etag']).not.toBe(compressed.headers['etag']);
});

test('every route is in the document, including those that serve it', async () => {
  const routes = [
    route('GET', '/a'),
    route('POST', '/a'),
    route('HEAD', '/a/:id'),
    route('GET', '/deep/*'),
    route('DELETE', '/deep/*'),
  ];
  const all = withDocumentation({ version: '1.2.3', dialect: ollamaDialect, operations: {} }, routes);
  const served = await get(all, '/openapi.json');
  const operations = Object.entries((JSON.parse(String(served.body)) as OpenApiDocument).paths).flatMap(
    ([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/, '{}')}`),
  );
  const expected = all.map(({ method, path }) => `${method} ${path.replace(/:\w+|\*/, '{}')}`);
  expect(operations.sort()).toEqual(expected.sort());
});

test('many fields of an earlier path are one row, except those that are required', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const optional = Object.fromEntries(
    names.map((name) => [name, Type.Optional(Type.String({ description: `The ${name}.` }))]),
  );
  const body = Type.Object({ ...optional, model: Type.String({ description: 'The model.' }) });
  const routes = [
    { ...route('POST', '/first'), body },
    { ...route('POST', '/second'), body: Type.Object({ ...body.properties, own: Type.String() }) },
  ];
  const all = withDocumentation({ version: '1.2.3', dialect: ollamaDialect, operations: {} }, routes);
  const page = String((await get(all, '/docs')).body);
  expect(page.split('The c.')).toHaveLength(2);
  expect(page.split('The model.')).toHaveLength(3);
  expect(page).toContain('<td>a, b, c, d, e<td><td>As in <code>POST /first</code>.');
});

test('a long group of fields is on the page once, and other paths refer to it', async () => {
  const description = 'x'.repeat(3000);
  const body = Type.Object({ outer: Type.Object({ inner: Type.String({ description }) }) });
  const other = Type.Object({ ...body.properties, third: Type.String() });
  const routes = [
    { ...route('POST', '/first'), body },
    { ...route('POST', '/second'), body },
    { ...route('POST', '/third'), body: other },
  ];
  const all = withDocumentation({ version: '1.2.3', dialect: ollamaDialect, operations: {} }, routes);
  const page = String((await get(all, '/docs')).body);
  expect(page.split(description)).toHaveLength(2);
  const references = page.match(/<td>[^<]*…<td><td>As in <code>POST \/first<\/code>/g);
  expect(references?.map((text) => text.slice(4, text.indexOf('…')))).toEqual(['', 'outer.']);
  expect(page.indexOf('<code>/first</code>')).toBeLessThan(page.indexOf(description));
});
