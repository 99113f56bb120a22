// All schema cases, for tests of the grammars and of the engine.

import { arrayCases } from './cases/array-cases.ts';
import { combinedCases } from './cases/combined-cases.ts';
import { conditionCases } from './cases/condition-cases.ts';
import { numberCases } from './cases/number-cases.ts';
import { objectCases } from './cases/object-cases.ts';
import { enumCases, scalarCases } from './cases/scalar-cases.ts';
import { stringCases } from './cases/string-cases.ts';
import { toolCases } from './cases/tool-cases.ts';
import type { SchemaCase } from './schema-case.ts';

export const schemaCases: readonly SchemaCase[] = [
  ...scalarCases,
  ...enumCases,
  ...numberCases,
  ...stringCases,
  ...objectCases,
  ...arrayCases,
  ...combinedCases,
  ...conditionCases,
  ...toolCases,
];
