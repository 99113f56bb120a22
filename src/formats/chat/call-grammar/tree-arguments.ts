// Arguments as a tree: an element for each value, at any depth. Texts are written as they are, so that neither their length
// nor a pattern is enforced. A value whose schema does not say what it consists of is JSON.

import { choiceOf, type Expression, literal, optional, repeat, sequence } from '../../grammar/gbnf/expression.ts';
import { listedValues, writesText } from '../tool-calls/element-value.ts';
import { anyName, argumentsOf, countOr, type FormContext, type ObjectSchema } from './form-context.ts';

export function treeArguments(context: FormContext, schema: ObjectSchema, mark: string): Expression {
  const { rules } = context;
  const end = literal(mark);
  const element = (name: string, value: unknown): Expression =>
    sequence(literal(`${mark}<${name}>`), writeValue(value), literal(`</${name}>`));
  const anyElement = (): Expression =>
    sequence(literal(`${mark}<`), anyName, literal('>'), context.textUntil(mark), literal('</'), anyName, literal('>'));

  const members = (object: ObjectSchema): Expression => {
    const known = argumentsOf(object);
    if (known === undefined) return repeat(rules.share(anyElement()), 0, maxElements);
    return sequence(
      ...known.map(({ name, schema: value, required }) =>
        required ? element(name, value) : optional(rules.share(element(name, value))),
      ),
    );
  };

  /** A value and the mark after it. */
  const writeValue = (value: unknown): Expression => {
    const listed = listedValues(value);
    if (listed !== undefined) return sequence(choiceOf([...listed.keys()].map(literal)), end);
    if (writesText(value)) return context.textUntil(mark);
    const { type, items, minItems, maxItems } = (value ?? {}) as ObjectSchema;
    if (type === 'object' && argumentsOf(value as ObjectSchema) !== undefined)
      return sequence(members(value as ObjectSchema), end);
    if (type !== 'array' || items === undefined) return sequence(context.compile(value), end);
    const item = rules.share(element('item', items));
    return sequence(rules.repeat(item, countOr(minItems, 0), countOr(maxItems, Number.POSITIVE_INFINITY), ''), end);
  };

  return sequence(members(schema), literal(`${mark}</invoke>`));
}

// The limit for a tool whose arguments are not known.
const maxElements = 32;
