// What the parts of the conversion ask of each other.

import type { Effort } from '../effort.ts';
import type { Expression } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import type { Alternatives } from './alternatives.ts';
import type { Fit } from './fit.ts';
import type { ListedValues } from './listed-values.ts';
import type { Located } from './resolve-reference.ts';

export interface Compiler {
  readonly rules: Rules;
  readonly effort: Effort;
  readonly alternatives: Alternatives;
  readonly fit: Fit;
  readonly values: ListedValues;
  /** The values that satisfy all of these schemas. */
  compile(schemas: readonly Located[]): Expression;
}
