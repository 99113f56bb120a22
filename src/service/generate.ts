// Completes a prompt: finds the model, builds the prompt, borrows the model and passes on what it says.

import { renderInsertion, renderMessages } from '../chat/render-prompt.ts';
import type { Engine } from '../engine/ports.ts';
import { jsonObjectGrammar } from '../grammar/json.ts';
import type { Clock } from '../kernel/clock.ts';
import { HearthError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Store } from '../store/store.ts';
import { parseTemplate, type Template } from '../template/template.ts';
import { type AnswerEvent, answer } from './answer.ts';
import type { ModelFactsReader } from './model-facts.ts';
import { type OpenModel, openModel } from './open-model.ts';
import { readRequestOptions } from './request-options.ts';

export interface GenerateInput {
  readonly model: string;
  readonly prompt: string;
  /** Text behind the gap; empty: there is no gap. */
  readonly suffix: string;
  /** Empty: the model's own. */
  readonly system: string;
  readonly template: string;
  readonly context: readonly number[];
  readonly raw: boolean;
  readonly format: string;
  readonly imageCount: number;
  readonly options: Readonly<Record<string, unknown>>;
  /** Milliseconds. */
  readonly keepAlive?: number;
}

export type GenerateOutput = { readonly type: 'unloaded' } | { readonly type: 'loaded' } | AnswerEvent;

export interface GenerateServices {
  readonly store: Store;
  readonly engine: Engine;
  readonly facts: ModelFactsReader;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type Generate = (input: GenerateInput, signal: AbortSignal) => AsyncGenerator<GenerateOutput>;

export function createGenerate({ store, engine, facts, clock, logger }: GenerateServices): Generate {
  return async function* generate(input, signal) {
    const begun = clock.monotonic();
    if (input.prompt === '' && input.keepAlive === 0) {
      const { files } = await openModel(store, input.model);
      engine.unload(files.key);
      yield { type: 'unloaded' };
      return;
    }
    checkInput(input);
    const model = await openModel(store, input.model);
    const template = parseTemplate(input.template || model.template);
    await checkAbilities(input, model, template);
    const { load, sample } = readRequestOptions(model.options, input.options, logger);
    const { displayName: modelName, files } = model;
    const keepAlive = input.keepAlive === undefined ? {} : { keepAlive: input.keepAlive };

    const lease = await engine.acquire({ name: modelName, files, options: load, ...keepAlive }, signal);
    const acquired = clock.monotonic();
    try {
      if (input.prompt === '') {
        yield { type: 'loaded' };
        return;
      }
      const request = {
        prompt: input.raw ? input.prompt : buildPrompt(input, model, template),
        context: input.context,
        options: sample,
        wantContext: !input.raw,
        ...(input.format === 'json' ? { grammar: jsonObjectGrammar } : {}),
      };
      yield* answer({ lease, request, modelName, begun, acquired, clock, logger, signal });
    } finally {
      lease.release();
    }
  };

  async function checkAbilities(input: GenerateInput, model: OpenModel, template: Template): Promise<void> {
    const { embedsOnly } = await facts.read(model.files);
    if (embedsOnly) throw new HearthError('unsupported', `"${input.model}" does not support generate`);
    if (input.suffix !== '' && !template.mentions.has('suffix')) {
      throw new HearthError('unsupported', `${model.displayName} does not support insert`);
    }
  }
}

function checkInput({ format, raw, template, system, context, imageCount }: GenerateInput): void {
  if (format !== '' && format !== 'json') throw new HearthError('bad_request', 'format must be empty or "json"');
  if (raw && (template !== '' || system !== '' || context.length > 0)) {
    throw new HearthError('bad_request', 'raw mode does not support template, system, or context');
  }
  if (imageCount > 0) throw new HearthError('unsupported', 'images are not supported yet');
}

function buildPrompt(input: GenerateInput, model: OpenModel, template: Template): string {
  if (input.suffix !== '') return renderInsertion(template, input.prompt, input.suffix);
  const system = input.system || model.system;
  return renderMessages(template, [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    // A context holds the earlier turns already.
    ...(input.context.length > 0 ? [] : model.messages),
    { role: 'user', content: input.prompt },
  ]);
}
