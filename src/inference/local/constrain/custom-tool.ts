// Custom tools take a text instead of arguments. The model sees a function with one string, and the format of the text
// becomes the pattern of that string where it can.

import { HearthError } from '../../../base/errors.ts';
import { larkToPattern } from '../../../formats/grammar/lark/lark-to-pattern.ts';
import type { DescribeCustomTool } from '../../model/custom-tool.ts';
import type { Grammars } from './hold-calls.ts';

export function createDescribeCustomTool(grammars: Pick<Grammars, 'ofFormat'>): DescribeCustomTool {
  return async (format, inputKey) => {
    const schemaOf = (input: object): object => ({
      type: 'object',
      properties: { [inputKey]: { type: 'string', ...input } },
      required: [inputKey],
      additionalProperties: false,
    });
    const { type, syntax, definition } = (format ?? {}) as Readonly<Record<string, unknown>>;
    if (type !== 'grammar' || typeof definition !== 'string') return { parameters: schemaOf({}) };
    // The model reads the format, whether or not it is enforced.
    const description = `A text of this ${syntax === 'regex' ? 'regular expression' : 'Lark grammar'}:\n${definition}`;
    try {
      const parameters = schemaOf({ description, pattern: toPattern(syntax, definition) });
      await grammars.ofFormat({ type: 'schema', schema: parameters });
      return { parameters };
    } catch (error) {
      if (!(error instanceof HearthError) || error.code !== 'bad_request') throw error;
      return { parameters: schemaOf({ description }), unheld: error.message };
    }
  };
}

function toPattern(syntax: unknown, definition: string): string {
  if (syntax === 'regex') return `^(?:${definition})$`;
  if (syntax === 'lark') return `^(?:${larkToPattern(definition)})$`;
  throw new HearthError('bad_request', 'the syntax of the grammar is not known');
}
