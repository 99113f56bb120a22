// Compares a complete answer with its schema, if the grammar of the answer does not enforce every keyword.

import type { SchemaCheck } from '../../../formats/grammar/find-violations.ts';
import type { SchemaGrammar } from '../../../formats/grammar/schema.ts';
import type { AnswerEvent } from '../../model/answer-event.ts';
import type { AnswerFormat } from '../../model/answer-format.ts';
import type { Grammars } from './hold-calls.ts';

export type CheckedSchema = Omit<SchemaCheck, 'answer'>;

export function schemaToCheck(
  format: AnswerFormat | undefined,
  grammar: SchemaGrammar | undefined,
): CheckedSchema | undefined {
  if (format?.type !== 'schema' || grammar === undefined || grammar.unenforced.length === 0) return undefined;
  return { schema: format.schema, unenforced: grammar.unenforced };
}

/** The events, of which the last one names the violations. The last event waits for the check, the others do not. */
export async function* reportViolations(
  events: AsyncIterable<AnswerEvent>,
  schema: CheckedSchema,
  grammars: Pick<Grammars, 'violationsOf'>,
): AsyncGenerator<AnswerEvent> {
  const texts: string[] = [];
  for await (const event of events) {
    if (event.type === 'text') texts.push(event.text);
    // A stop sequence cuts an answer, too.
    const isWhole = event.type === 'done' && event.reason === 'stop' && event.stopSequence === undefined;
    if (!isWhole) yield event;
    else {
      const violations = await grammars.violationsOf({ ...schema, answer: texts.join('') });
      yield { ...event, ...(violations === undefined ? {} : { violations }) };
    }
  }
}
