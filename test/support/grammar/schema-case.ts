// A supported schema, with values that its grammar must accept and values that it must reject. A grammar can be
// stricter than its schema, so a rejected value may satisfy the schema.

export interface SchemaCase {
  readonly name: string;
  readonly schema: unknown;
  /** An equivalent schema for ajv, which does not support draft 4. */
  readonly ajvSchema?: unknown;
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
}
