// A schema that can be kept, with values that must come out of its grammar and values that must not. `misfits` may be
// valid for the schema all the same, where a grammar says less than its schema.

export interface SchemaCase {
  readonly name: string;
  readonly schema: unknown;
  /** The same for ajv, which does not know draft 4. */
  readonly judged?: unknown;
  readonly fits: readonly unknown[];
  readonly misfits: readonly unknown[];
}
