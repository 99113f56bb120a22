// Converts one schema at a time, and matches its instances against the grammar.

import { parentPort } from 'node:worker_threads';
import { Ajv } from 'ajv';
import { messageOf } from '../src/base/errors.ts';
import { convertSchema, type SchemaGrammar } from '../src/formats/grammar/schema.ts';
import { parseGbnf } from '../test/support/grammar/gbnf.ts';

export interface SchemaCase {
  readonly schema: unknown;
  readonly tests: readonly { readonly data: unknown; readonly valid: boolean }[];
}

export interface SchemaResult {
  /** The error, if the schema was not converted. */
  readonly refused?: string;
  readonly convertMs: number;
  readonly isEnforced: boolean;
  readonly rejectedValid: number;
  readonly acceptedInvalid: number;
}

parentPort?.on('message', (one: SchemaCase) => parentPort?.postMessage(measure(one)));

function measure({ schema, tests }: SchemaCase): SchemaResult {
  const started = process.hrtime.bigint();
  const convertMs = (): number => Number(process.hrtime.bigint() - started) / 1e6;
  let converted: SchemaGrammar;
  try {
    converted = convertSchema(schema);
  } catch (error) {
    const refused = messageOf(error);
    return { refused, convertMs: convertMs(), isEnforced: true, rejectedValid: 0, acceptedInvalid: 0 };
  }
  const result = { convertMs: convertMs(), isEnforced: converted.unenforced.length === 0 };
  const parsed = parseGbnf(converted.grammar);
  const isAccepted = ({ data }: SchemaCase['tests'][number]): boolean => parsed.matches(JSON.stringify(data));
  const isMislabelled = createLabelCheck(schema);
  return {
    ...result,
    rejectedValid: tests.filter((one) => one.valid && !isAccepted(one)).length,
    acceptedInvalid: tests.filter((one) => !one.valid && isAccepted(one) && !isMislabelled(one.data)).length,
  };
}

/** Some instances satisfy their schema, although they are labelled as invalid. The validator has no formats. */
function createLabelCheck(schema: unknown): (data: unknown) => boolean {
  if (JSON.stringify(schema).includes('"format"')) return () => false;
  try {
    const { $schema, id, ...rest } = schema as Record<string, unknown>;
    return new Ajv({ strict: false, logger: false }).compile(rest);
  } catch {
    return () => false;
  }
}
