import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { createCheckBody } from './body.ts';

const schema = Type.Object({
  model: Type.String({ emptyValues: ['string'] }),
  context: Type.Optional(Type.Array(Type.Integer())),
  options: Type.Optional(Type.Object({ stop: Type.Array(Type.String()) })),
});

test('a body that fits its schema is accepted, however often the schema is used', async () => {
  const checkBody = createCheckBody();
  const bodies = [{ model: 'a' }, { model: 'b', context: [1, 2] }, { model: 'c', options: { stop: ['x'] }, other: 1 }];
  await Promise.all(bodies.map((body) => checkBody(schema, body)));
});

test.each([
  [{}, "the request must have required property 'model'"],
  [{ model: 1 }, 'model must be string'],
  [{ model: 'a', context: [1, 2, 3, 'x'] }, 'context[3] must be integer'],
  [{ model: 'a', options: { stop: [''], other: 1 }, context: null }, 'context must be array'],
  [{ model: 'a', options: { stop: [1] } }, 'options.stop[0] must be string'],
])('%j is refused with the name of the field', async (body, message) => {
  await expect(createCheckBody()(schema, body)).rejects.toMatchObject({ code: 'bad_request', message });
});
