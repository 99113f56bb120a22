// The TypeScript type of a wire schema.

import type { Static, TSchema } from 'typebox';

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;

/** Read-only at every level: a route may return values that it does not own. */
export type Wire<Schema extends TSchema> = DeepReadonly<Static<Schema>>;
