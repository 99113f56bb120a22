// Checks request bodies against the schemas of their routes. The validator is loaded, and a schema is compiled, by the
// first request that needs it: compiling all of them takes longer than the rest of the start.

import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import type { TObject } from 'typebox';
import { HearthError } from '../../base/errors.ts';
import { fieldKeywords } from './field-schema.ts';

/** Throws `bad_request`, with the first problem in the message. */
export type CheckBody = (schema: TObject, body: unknown) => Promise<void>;

export function createCheckBody(): CheckBody {
  let loaded: Promise<Ajv> | undefined;
  const compiled = new Map<TObject, ValidateFunction>();

  return async (schema, body) => {
    loaded ??= loadValidator();
    const ajv = await loaded;
    const validate = compiled.get(schema) ?? ajv.compile(schema);
    compiled.set(schema, validate);
    if (validate(body)) return;
    const [problem] = validate.errors ?? [];
    throw new HearthError('bad_request', problem ? describeProblem(problem) : 'the request is not valid');
  };
}

async function loadValidator(): Promise<Ajv> {
  const { Ajv } = await import('ajv');
  // The schemas are ours. To check them against the schema of schemas takes longer than to compile them.
  return new Ajv({ keywords: [...fieldKeywords], meta: false, validateSchema: false });
}

function describeProblem({ instancePath, message = 'is not valid' }: ErrorObject): string {
  return `${fieldOf(instancePath)} ${message}`;
}

// The validator writes context[3] as "/context/3".
function fieldOf(instancePath: string): string {
  const [field = 'the request', ...rest] = instancePath.split('/').slice(1);
  return `${field}${rest.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('')}`;
}
