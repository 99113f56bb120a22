// The state that the stages of one conversion share.

import type { HearthError } from '../../../base/errors.ts';
import type { Expression } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import type { WorkBudget } from '../limits/limits.ts';
import type { Alternatives } from './alternatives.ts';
import type { EnumValues } from './enum-values.ts';
import type { LocatedSchema } from './resolve-reference.ts';
import type { SchemaValidator } from './schema-validator.ts';

export interface Compiler {
  readonly rules: Rules;
  readonly budget: WorkBudget;
  readonly alternatives: Alternatives;
  readonly validator: SchemaValidator;
  readonly enumValues: EnumValues;
  /** Called for branches of a oneOf that can match the same value. Throws the error if that is not allowed. */
  overlaps(error: HearthError, path: string): void;
  /** Matches the values that satisfy all of these schemas. */
  compile(schemas: readonly LocatedSchema[]): Expression;
}
