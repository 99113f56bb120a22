// A page of a list on the wire, as OpenAI's API has it.

import { Type } from 'typebox';

export function pageSchema<Schema extends Parameters<typeof Type.Array>[0]>(schema: Schema) {
  const idOrNull = Type.Union([Type.String(), Type.Null()]);
  return Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(schema),
    has_more: Type.Boolean(),
    first_id: idOrNull,
    last_id: idOrNull,
  });
}
