// Requests that take long to convert: schemas, tools, grammars, templates, options.

import { expect } from 'vitest';
import { type Body, post } from '../../support/client.ts';
import type { TestServer } from '../../support/server.ts';
import type { Attack } from '../harness.ts';

const numbered = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));
const members = <Value>(count: number, make: (index: number) => Value): Record<string, Value> =>
  Object.fromEntries(numbered(count, (index) => [`p${index}`, make(index)]));

/** The most expensive of 44 schemas that were tried. */
const schemas: Readonly<Record<string, object>> = {
  'a product of alternatives': {
    type: 'object',
    allOf: numbered(9, (index) => ({ anyOf: [{ required: [`p${index}`] }, { required: [`q${index}`] }] })),
    properties: {
      ...members(9, () => ({ type: 'string' })),
      ...Object.fromEntries(numbered(9, (index) => [`q${index}`, { type: 'string' }])),
    },
  },
  '900 branches': {
    anyOf: numbered(900, (index) => ({
      type: 'object',
      properties: { a: { type: 'integer', minimum: index } },
      required: ['a'],
    })),
  },
  '400 branches of oneOf': {
    oneOf: numbered(400, (index) => ({
      type: 'object',
      properties: { kind: { const: `k${index}` }, v: { type: 'integer' } },
      required: ['kind'],
    })),
  },
  'a chain of 3000 references': {
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries([
      ...numbered(3000, (index) => [
        `d${index}`,
        { type: 'object', properties: { a: { $ref: `#/$defs/d${index + 1}` } }, required: ['a'] },
      ]),
      ['d3000', { type: 'string' }],
    ]),
  },
  'counted members': {
    type: 'object',
    properties: members(60, () => ({ type: 'string' })),
    minProperties: 20,
    maxProperties: 40,
  },
  'names to exclude': { type: 'object', properties: members(300, () => true), additionalProperties: true },
  '10,000 values': { enum: numbered(10_000, (index) => `value ${index}`) },
  '2000 ranges of numbers': {
    type: 'object',
    properties: members(2000, (index) => ({ type: 'integer', minimum: index * 987_654_321 })),
  },
  '200 patterns': { type: 'string', allOf: numbered(200, (index) => ({ pattern: `a{${index % 20}}` })) },
};

/** Some are converted and others refused; both take long. */
async function answer({ url }: TestServer, path: string, body: Body): Promise<void> {
  const request = { model: 'ember', stream: false, options: { num_predict: 1 }, ...body };
  const { status, text } = await post(url, path, request);
  expect([200, 400], text.slice(0, 300)).toContain(status);
}

const refused = (path: string, status: number, body: () => Body | string) => async (server: TestServer) => {
  const reply = await post(server.url, path, body());
  expect(reply.status, reply.text.slice(0, 300)).toBe(status);
};

const requiredTools = (tools: readonly object[]) => ({
  model: 'ember',
  messages: [{ role: 'user', content: 'Hi' }],
  tools: tools.map((parameters, index) => ({ type: 'function', function: { name: `tool${index}`, parameters } })),
  tool_choice: 'required',
  max_tokens: 1,
});

const nestedRanges = (body: string): string =>
  `{{ range $a := .Messages }}${'{{ range 1000 }}'.repeat(4)}${body}${'{{ end }}'.repeat(4)}{{ end }}`;

export const conversionAttacks: readonly Attack[] = [
  ...Object.entries(schemas).map(([name, format]) => ({
    name: `schema: ${name}`,
    run: (server: TestServer) => answer(server, '/api/generate', { prompt: 'Hi', format }),
  })),
  {
    name: 'all these schemas at once, twice',
    run: async (server) => {
      const all = [...Object.values(schemas), ...Object.values(schemas)];
      await Promise.all(all.map((format) => answer(server, '/api/generate', { prompt: 'Hi', format })));
    },
  },
  {
    name: '200 tools with large schemas',
    run: (server) =>
      answer(
        server,
        '/v1/chat/completions',
        requiredTools(numbered(200, () => ({ type: 'object', properties: members(40, () => ({ type: 'string' })) }))),
      ),
  },
  {
    name: 'a grammar of 64 KiB',
    run: (server) => {
      const grammar = `root ::= ${numbered(900, (index) => `r${index}`).join(' ')}\n${numbered(900, (index) => `r${index} ::= "a" [a-z]{1,200} | "b"\n`).join('')}`;
      return answer(server, '/api/generate', { prompt: 'Hi', format: { type: 'gbnf', grammar } });
    },
  },
  ...['x', '{{ json $ }}', '{{ printf "%99999d" 1 }}'].map((body) => ({
    name: `nested ranges of ${body}`,
    run: refused('/api/generate', 500, () => ({ model: 'ember', prompt: 'Hi', template: nestedRanges(body) })),
  })),
  {
    name: 'a template of 256 KiB in create',
    run: (server) =>
      answer(server, '/api/create', { model: 'long', from: 'ember', template: '{{ .A }}'.repeat(2 ** 15) }),
  },
  {
    name: '10,000 options',
    run: refused('/api/generate', 400, () => ({ model: 'ember', prompt: 'Hi', options: members(10_000, () => 1) })),
  },
  {
    name: '200,000 options',
    run: refused('/api/generate', 413, () => ({ model: 'ember', prompt: 'Hi', options: members(200_000, () => 1) })),
  },
  {
    name: '400,000 stop sequences',
    run: refused('/api/generate', 400, () => ({
      model: 'ember',
      prompt: 'Hi',
      options: { stop: numbered(400_000, String) },
    })),
  },
  {
    name: '80,000 messages',
    run: refused('/api/chat', 413, () => ({
      model: 'ember',
      messages: numbered(80_000, () => ({ role: 'user', content: 'a' })),
    })),
  },
  {
    name: '10,000 messages',
    run: (server) =>
      answer(server, '/api/chat', {
        messages: numbered(10_000, () => ({ role: 'user', content: 'a' })),
        // The search for the messages that fit takes long, in the runner.
        truncate: false,
      }),
  },
  {
    name: '3 million values',
    run: refused('/api/chat', 400, () => `{"model":"ember","messages":[${'{},'.repeat(3_000_000)}{}]}`),
  },
  {
    name: 'a million values in the arguments of a call',
    run: refused('/api/chat', 413, () => ({
      model: 'ember',
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ function: { name: 'f', arguments: `{"a":[${'{},'.repeat(1_000_000)}{}]}` } }],
        },
      ],
    })),
  },
];
