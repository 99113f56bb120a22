// GET /api/catalogue on the wire.

import { Type } from 'typebox';
import { FitBody } from '../../server/dialects/shared/fit-schema.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

const CatalogueSizeBody = Type.Object({
  name: Type.String({ description: 'The name for a pull.' }),
  size: Type.Optional(Type.Integer({ description: 'Bytes. Absent: unknown.' })),
  fit: Type.Optional(FitBody),
});

const CatalogueModelBody = Type.Object({
  name: Type.String(),
  title: Type.String(),
  source: Type.Enum(['registry', 'package', 'huggingface']),
  license: Type.Optional(Type.String()),
  context_length: Type.Optional(Type.Integer({ description: 'The trained length in tokens.' })),
  capabilities: Type.Array(Type.String()),
  description: Type.String(),
  sizes: Type.Array(CatalogueSizeBody, { description: 'The smallest first.' }),
});
export type CatalogueModelBody = Wire<typeof CatalogueModelBody>;

export const CatalogueResponseBody = Type.Object({
  date: Type.String({ description: 'When the list was made.' }),
  models: Type.Array(CatalogueModelBody),
  online_error: Type.Optional(Type.String({ description: 'Why Hugging Face could not be searched.' })),
});
export type CatalogueResponseBody = Wire<typeof CatalogueResponseBody>;
