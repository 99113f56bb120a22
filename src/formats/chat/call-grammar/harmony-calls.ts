// The calls of gpt-oss. The recipient is in the channel or in the role, and the model ends its answer after a call.
//
//   <|channel|>commentary to=functions.f <|constrain|>json<|message|>{…}
//   <|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json<|message|>{…}

import { choiceOf, type Expression, literal, optional, sequence } from '../../grammar/gbnf/expression.ts';
import type { FormContext, HeldTool } from './form-context.ts';

const constraint = optional(choiceOf([literal(' <|constrain|>json'), literal('<|constrain|>json'), literal(' json')]));
const message = sequence(constraint, literal('<|message|>'));
const any = (...texts: readonly string[]): Expression => choiceOf(texts.map(literal));

/** `fromStart`: the model may think first, and must call a tool then. */
export function harmonyCalls(
  context: FormContext,
  tools: readonly HeldTool[],
  { fromStart }: { readonly fromStart: boolean },
): Expression {
  const call = (between: Expression): Expression =>
    choiceOf(tools.map(({ name, schema }) => sequence(literal(name), between, context.compile(schema))));
  const inChannel = sequence(
    any('<|channel|>commentary to=functions.', '<|channel|>analysis to=functions.'),
    call(message),
  );
  const inRole = sequence(
    any('<|start|>assistant to=functions.', 'to=functions.', ' to=functions.'),
    call(sequence(literal('<|channel|>commentary'), message)),
  );
  // No other token of the format is possible in it: the call after it would not be read.
  const thinking = sequence(
    literal('<|channel|>analysis<|message|>'),
    context.textUntil('<|'),
    literal('end|><|start|>assistant'),
  );
  return fromStart ? sequence(optional(thinking), inChannel) : choiceOf([inChannel, inRole]);
}
