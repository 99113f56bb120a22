// The arguments of a call in Python: `city="Paris", days=[1, 2], strict=True`. Values are JSON, which the parser of calls
// accepts, except single truth values, which models write as in Python.

import { choiceOf, type Expression, literal, rule, sequence } from '../../grammar/gbnf/expression.ts';
import { memberChain } from '../../grammar/schema/member-chain.ts';
import { anyName, argumentsOf, type FormContext, type ObjectSchema } from './form-context.ts';

export function pythonArguments(context: FormContext, schema: ObjectSchema): Expression {
  const known = argumentsOf(schema);
  const members = (known ?? []).map(({ name, schema: value, required }) => ({
    expression: sequence(literal(`${name}=`), pythonValue(context, value)),
    required,
  }));
  const extra = known === undefined ? sequence(anyName, literal('='), rule('value')) : undefined;
  return memberChain(context.rules, { members, extra, min: 0, max: Number.POSITIVE_INFINITY }, '');
}

function pythonValue(context: FormContext, schema: unknown): Expression {
  const isBoolean = typeof schema === 'object' && schema !== null && isPlainBoolean(schema);
  return isBoolean ? choiceOf([literal('True'), literal('False')]) : context.compile(schema);
}

function isPlainBoolean(schema: {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
}): boolean {
  return schema.type === 'boolean' && schema.enum === undefined && schema.const === undefined;
}
