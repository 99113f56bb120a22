import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { JsonScanner } from '../../../base/text/json-scanner.ts';
import { fieldBoundOf, maxBodyBytesOf, withBounds } from './field-bounds.ts';

test('every name has a bound', () => {
  expect(fieldBoundOf('keep_alive').maxBytes).toBe(64);
  expect(fieldBoundOf('model').maxBytes).toBe(1024);
  for (const name of ['a_new_field', '', 'constructor', '__proto__'])
    expect(fieldBoundOf(name)).toEqual({ maxBytes: 65_536, maxItems: 8192 });
});

test('stop sequences are few, also in options', () => {
  const scan = (body: object): void => new JsonScanner({ boundOf: fieldBoundOf }).addText(JSON.stringify(body));
  const stop = Array.from({ length: 129 }, String);
  for (const body of [{ stop }, { options: { stop } }, { stop_sequences: stop }])
    expect(() => scan(body)).toThrow(/^stop\w* has more than 128 elements$/);
  expect(() => scan({ options: { stop: stop.slice(1) } })).not.toThrow();
});

test('a body without long fields has a limit of its own', () => {
  const item = Type.Object({ content: Type.String() });
  expect(maxBodyBytesOf(Type.Object({ model: Type.String() }))).toBe(2 ** 20);
  expect(maxBodyBytesOf(Type.Object({ prompt: Type.Optional(Type.String()) }))).toBeUndefined();
  expect(maxBodyBytesOf(Type.Object({ messages: Type.Array(item) }))).toBeUndefined();
});

test('the documentation states bounds where the schema has none', () => {
  const schema = Type.Object({
    model: Type.String(),
    short: Type.String({ maxLength: 3 }),
    messages: Type.Array(Type.Object({ role: Type.String(), content: Type.String() })),
    kind: Type.Union([Type.String(), Type.Number()]),
  });
  expect(withBounds(schema)).toMatchObject({
    properties: {
      model: { maxLength: 1024 },
      short: { maxLength: 3 },
      messages: {
        maxItems: 20_000,
        items: { properties: { role: { maxLength: 64 }, content: { maxLength: 8 * 2 ** 20 } } },
      },
      kind: { anyOf: [{ maxLength: 65_536 }, { type: 'number' }] },
    },
  });
});
