// The grammars that constrain answers. They are cached: clients send the same schema with every request, and converting a
// large one takes time. So are refusals: a client that repeats a refused schema must not cause the same work again.

import { createDeferred } from '../../../base/deferred.ts';
import { digestOf } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { createLruCache } from '../../../base/lru-cache.ts';
import type { CallRules } from '../../../formats/chat/call-grammar/calls-to-grammar.ts';
import { jsonObjectGrammar } from '../../../formats/grammar/gbnf/json.ts';
import { checkDocument } from '../../../formats/grammar/schema/json-value.ts';
import type { Compute } from '../../compute/compute.ts';
import type { SchemaGrammar, TaskInput, TaskResult } from '../../compute/tasks.ts';
import type { AnswerFormat } from '../../model/answer-format.ts';

export interface Grammars {
  /** Undefined: the answer is not constrained. */
  ofFormat(format: AnswerFormat | undefined): Promise<SchemaGrammar | undefined>;
  ofCalls(rules: CallRules): Promise<string>;
}

type GrammarTask = 'schemaToGrammar' | 'rawToGrammar' | 'textToGrammar' | 'callsToGrammar';

const maxCached = 64;
// Characters of a key. A digest stands for a longer one: its text would fill the memory.
const maxKey = 2 ** 14;

export function createGrammars(compute: Compute): Grammars {
  const cache = createLruCache<TaskResult<GrammarTask> | HearthError>(maxCached);
  /** The work that runs, by key. */
  const running = new Map<string, Promise<void>>();

  /** Requests with the same key wait until the work has ended. */
  async function computeAndCache<Name extends GrammarTask>(key: string, name: Name, input: TaskInput<Name>) {
    const ended = createDeferred<void>();
    running.set(key, ended.promise);
    try {
      const result = await resultOrRefusal(() => compute(name, input));
      cache.set(key, result);
      return result;
    } finally {
      running.delete(key);
      ended.resolve();
    }
  }

  async function computeOnce<Name extends GrammarTask>(name: Name, input: TaskInput<Name>): Promise<TaskResult<Name>> {
    const text = `${name} ${JSON.stringify(input)}`;
    const key = text.length > maxKey ? digestOf(text) : text;
    // If the other request ends without a result, this one computes it.
    while (running.has(key)) await running.get(key);
    const result = cache.get(key) ?? (await computeAndCache(key, name, input));
    if (result instanceof HearthError) throw new HearthError(result.code, result.message);
    return result as TaskResult<Name>;
  }

  return {
    async ofFormat(format) {
      switch (format?.type) {
        case undefined:
          return undefined;
        case 'json':
          return { grammar: jsonObjectGrammar, unenforced: [] };
        case 'gbnf':
          return { grammar: await computeOnce('rawToGrammar', format.grammar), unenforced: [] };
        case 'pattern':
          return { grammar: await computeOnce('textToGrammar', { pattern: format.pattern }), unenforced: [] };
        case 'choice':
          return { grammar: await computeOnce('textToGrammar', { choices: format.choices }), unenforced: [] };
        case 'schema':
          // The text of a schema beyond the limits is not even needed.
          checkDocument(format.schema);
          return computeOnce('schemaToGrammar', format.schema);
      }
    },
    ofCalls: (rules) => computeOnce('callsToGrammar', rules),
  };
}

async function resultOrRefusal<Result>(work: () => Promise<Result>): Promise<Result | HearthError> {
  try {
    return await work();
  } catch (error) {
    // Other errors, for example that of a request that ended, say nothing about the schema.
    if (error instanceof HearthError && error.code === 'bad_request') return error;
    throw error;
  }
}
