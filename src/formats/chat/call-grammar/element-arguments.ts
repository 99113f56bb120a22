// Arguments as elements: `<parameter=city>\nParis\n</parameter>`. Texts are written as they are, so that neither their
// length nor a pattern is enforced. Other values are JSON.

import {
  characterClass,
  choiceOf,
  type Expression,
  empty,
  literal,
  optional,
  repeat,
  sequence,
} from '../../grammar/gbnf/expression.ts';
import { negate } from '../../grammar/pattern/code-points.ts';
import type { ElementsForm } from '../tool-calls/call-syntax.ts';
import { listedValues, writesText } from '../tool-calls/element-value.ts';
import { argumentsOf, blank, digits, type FormContext, layoutText, type ObjectSchema } from './form-context.ts';

export function elementArguments(context: FormContext, schema: ObjectSchema, form: ElementsForm): Expression {
  const { afterName, afterNumber, beforeKey, afterKey, afterIsText, isTyped, afterValue, end, quotes } = form;
  const known = argumentsOf(schema);
  const endOfValue = afterValue.trim();
  // A text has only those blanks around it that belong to the layout.
  const beforeText = afterKey.endsWith('\n') ? lineBreak : empty;
  const afterText = afterValue.startsWith('\n') ? lineBreak : empty;
  const mark = (isText: boolean, value?: unknown): Expression => {
    if (afterIsText === undefined) return empty;
    const words = !isTyped ? [`${isText}`] : isText ? ['string'] : otherTypesOf(value);
    return sequence(choiceOf(words.map(literal)), literal(afterIsText));
  };
  const quoted = (open: string, close: string): Expression =>
    choiceOf([
      sequence(literal(open), context.textUntil(close + endOfValue)),
      sequence(repeat(notLess, 0, Number.POSITIVE_INFINITY), literal(endOfValue)),
    ]);
  const anyText = quotes === undefined ? context.textUntil(endOfValue) : quoted(quotes.open, quotes.close);

  const writeValue = (value: unknown): Expression => {
    const listed = listedValues(value);
    if (listed !== undefined) {
      const values = [...listed].map(([text, one]) =>
        sequence(mark(typeof one === 'string', { const: one }), beforeText, literal(text)),
      );
      return sequence(choiceOf(values), afterText, literal(endOfValue));
    }
    if (writesText(value)) return sequence(mark(true), anyText);
    return sequence(mark(false, value), blank, context.compile(value), blank, literal(endOfValue));
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
    isTyped ? mark(true) : choiceOf([mark(true), mark(false)]),
    anyText,
    blank,
  );
  const all = known === undefined ? repeat(context.rules.share(anyElement), 0, maxElements) : sequence(...elements);
  const number = afterNumber === undefined ? empty : sequence(digits, literal(afterNumber));
  return sequence(layoutText(afterName), number, all, layoutText(end));
}

const jsonTypes = ['number', 'boolean', 'null', 'object', 'array'];
const notLess = characterClass(negate([[0x3c, 0x3c]]));

/** The JSON types of the values that are not texts. */
function otherTypesOf(schema: unknown): readonly string[] {
  const { type, const: value } = (schema ?? {}) as { readonly type?: unknown; readonly const?: unknown };
  if (value !== undefined) return [jsonTypeOf(value)];
  const listed = (Array.isArray(type) ? type : [type]).map((one) => (one === 'integer' ? 'number' : one));
  const known = jsonTypes.filter((one) => listed.includes(one));
  return known.length === 0 ? jsonTypes : known;
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const lineBreak = optional(literal('\n'));

// The limit for a tool whose arguments are not known.
const maxElements = 32;
