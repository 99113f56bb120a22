// The texts of a layout as expressions. Blanks in them are optional, and a blank can be a line break.

import { characterClass, type Expression, literal, optional, sequence } from '../../grammar/gbnf/expression.ts';

export const blank: Expression = optional(
  characterClass([
    [0x0a, 0x0a],
    [0x20, 0x20],
  ]),
);

export function layoutText(text: string): Expression {
  return sequence(...text.split(/(\s+)/).map((part) => (/^\s/.test(part) ? blank : literal(part))));
}
