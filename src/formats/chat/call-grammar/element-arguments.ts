// Arguments as elements: `<parameter=city>\nParis\n</parameter>`. Texts are written as they are, so that neither their
// length nor a pattern is enforced. Other values are JSON.

import {
  choiceOf,
  type Expression,
  empty,
  literal,
  optional,
  repeat,
  sequence,
} from '../../grammar/gbnf/expression.ts';
import type { ElementsForm } from '../tool-calls/call-syntax.ts';
import { listedValues, writesText } from '../tool-calls/element-value.ts';
import { argumentsOf, blank, type FormContext, layoutText, type ObjectSchema } from './form-context.ts';

export function elementArguments(context: FormContext, schema: ObjectSchema, form: ElementsForm): Expression {
  const { afterName, beforeKey, afterKey, afterIsText, afterValue, end } = form;
  const known = argumentsOf(schema);
  const endOfValue = afterValue.trim();
  // A text has only those blanks around it that belong to the layout.
  const beforeText = afterKey.endsWith('\n') ? lineBreak : empty;
  const afterText = afterValue.startsWith('\n') ? lineBreak : empty;
  const mark = (isText: boolean): Expression =>
    afterIsText === undefined ? empty : literal(`${isText}${afterIsText}`);

  const writeValue = (value: unknown): Expression => {
    const listed = listedValues(value);
    if (listed !== undefined) {
      const values = [...listed].map(([text, one]) =>
        sequence(mark(typeof one === 'string'), beforeText, literal(text)),
      );
      return sequence(choiceOf(values), afterText, literal(endOfValue));
    }
    if (writesText(value)) return sequence(mark(true), context.textUntil(endOfValue));
    return sequence(mark(false), blank, context.compile(value), blank, literal(endOfValue));
  };

  const elements = (known ?? []).map(({ name, schema: value, required }) => {
    // The blank after the key belongs to the value.
    const element = sequence(literal(beforeKey + name), layoutText(afterKey.trimEnd()), writeValue(value), blank);
    return required ? element : optional(context.rules.share(element));
  });
  const [firstAfterKey = '', ...rest] = afterKey.trim().split(/(?<=>)/);
  const anyElement = sequence(
    literal(beforeKey),
    context.textUntil(firstAfterKey),
    layoutText(rest.join('')),
    choiceOf([mark(true), mark(false)]),
    context.textUntil(endOfValue),
    blank,
  );
  const all = known === undefined ? repeat(context.rules.share(anyElement), 0, maxElements) : sequence(...elements);
  return sequence(layoutText(afterName), all, layoutText(end));
}

const lineBreak = optional(literal('\n'));

// The limit for a tool whose arguments are not known.
const maxElements = 32;
