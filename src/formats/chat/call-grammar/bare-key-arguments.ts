// Arguments with bare keys and quotes of their own: `{city:<escape>Paris<escape>,days:[1,2]}`. Texts are written as they
// are, so that neither their length nor a pattern is enforced. A schema that is not a plain one allows any value.

import { choiceOf, type Expression, literal, optional, rule, sequence } from '../../grammar/gbnf/expression.ts';
import { memberChain } from '../../grammar/schema/member-chain.ts';
import { anyName, argumentsOf, countOr, type FormContext, type ObjectSchema } from './form-context.ts';

export function bareKeyArguments(context: FormContext, schema: ObjectSchema, quote: string): Expression {
  return createWriter(context, quote).object(schema);
}

function createWriter(context: FormContext, quote: string) {
  const { rules } = context;
  const text = sequence(literal(quote), context.textUntil(quote));
  let anyRule: Expression | undefined;

  /** Any value. Its rule refers to itself. */
  const any = (): Expression => {
    if (anyRule !== undefined) return anyRule;
    const name = rules.reserve();
    anyRule = rule(name);
    const map = listOf('{', sequence(anyName, literal(':'), anyRule), '}');
    rules.define(name, choiceOf([map, listOf('[', anyRule, ']'), text, ...plainWords, rule('number')]));
    return anyRule;
  };

  const listOf = (
    open: string,
    item: Expression,
    close: string,
    min = 0,
    max = Number.POSITIVE_INFINITY,
  ): Expression => {
    const shared = rules.share(item);
    if (max === 0) return literal(open + close);
    const items = sequence(shared, rules.repeat(sequence(literal(','), shared), Math.max(0, min - 1), max - 1, ''));
    return sequence(literal(open), min > 0 ? items : optional(items), literal(close));
  };

  const object = (schema: ObjectSchema): Expression => {
    const known = argumentsOf(schema);
    if (known === undefined) return listOf('{', sequence(anyName, literal(':'), any()), '}');
    const members = known.map(({ name, schema: value, required }) => ({
      expression: sequence(literal(`${name}:`), writeValue(value)),
      required,
    }));
    const chain = memberChain(rules, { members, extra: undefined, min: 0, max: Number.POSITIVE_INFINITY }, '');
    return sequence(literal('{'), chain, literal('}'));
  };

  const ofType = (type: unknown, schema: ObjectSchema): Expression => {
    switch (type) {
      case 'string':
        return text;
      case 'object':
        return object(schema);
      case 'array': {
        const { items = true, minItems, maxItems } = schema;
        return listOf('[', writeValue(items), ']', countOr(minItems, 0), countOr(maxItems, Number.POSITIVE_INFINITY));
      }
      default:
        return context.compile({ ...schema, type });
    }
  };

  const writeValue = (schema: unknown): Expression => {
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return any();
    const { enum: values, const: value, type } = schema as ObjectSchema;
    if (Array.isArray(values)) return choiceOf(values.map((one) => literal(bareText(one, quote))));
    if (value !== undefined) return literal(bareText(value, quote));
    const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
    if (types.length === 0) return any();
    return choiceOf(types.map((one) => ofType(one, schema as ObjectSchema)));
  };

  return { object };
}

const plainWords = [literal('true'), literal('false'), literal('null')];

/** A value in this notation. */
function bareText(value: unknown, quote: string): string {
  if (typeof value === 'string') return quote + value + quote;
  if (Array.isArray(value)) return `[${value.map((item) => bareText(item, quote)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${key}:${bareText(member, quote)}`);
  return `{${members.join(',')}}`;
}
