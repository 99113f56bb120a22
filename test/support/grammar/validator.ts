// Validates answers with ajv and its formats.

import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const settings = { strict: false, validateSchema: false, logger: false } as const;
const draft7 = new Ajv(settings);
const draft2020 = new Ajv2020(settings);
addFormats.default(draft7);
addFormats.default(draft2020);

export function validatorOf(schema: unknown): ValidateFunction {
  const ajv = JSON.stringify(schema).includes('draft-07') ? draft7 : draft2020;
  return ajv.compile(schema as object | boolean);
}
