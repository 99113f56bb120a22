// Services for aliases: what one model of the list cannot do because it is down or busy, the next one does. After the
// first part of an answer, nothing is repeated.

import { type ErrorCode, HearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { openLater, startingWith } from '../../../base/pipe.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import { formatModelName } from '../../../models/name.ts';
import type { ModelAliases } from '../models/model-aliases.ts';
import type { ModelInput } from './prepare-model.ts';

type Input = Reported<Pick<ModelInput, 'model'>>;

// Another model can do better. All other errors are those of the request, or of the server as a whole.
const passedOn: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'busy',
  'load_failed',
  'runner_died',
  'model_not_found',
  'store_damaged',
  'remote_not_found',
  'remote_failed',
  'remote_denied',
  'remote_timeout',
]);

export class FallBack {
  readonly #aliases: ModelAliases;
  readonly #logger: Logger;

  constructor(aliases: ModelAliases, logger: Logger) {
    this.#aliases = aliases;
    this.#logger = logger;
  }

  ofCall<Given extends Input, Result>(
    service: (input: Given, signal: AbortSignal) => Promise<Result>,
  ): (input: Given, signal: AbortSignal) => Promise<Result> {
    return (input, signal) => {
      const models = this.#aliases.modelsOf(input.model);
      if (models === undefined) return service(input, signal);
      return this.#tryEach(input, models, (next) => service(next, signal));
    };
  }

  ofStream<Given extends Input, Item>(
    service: (input: Given, signal: AbortSignal) => AsyncGenerator<Item>,
  ): (input: Given, signal: AbortSignal) => AsyncGenerator<Item> {
    return (input, signal) => {
      const models = this.#aliases.modelsOf(input.model);
      if (models === undefined) return service(input, signal);
      const begin = async (next: Given): Promise<AsyncIterable<Item>> => {
        const items = service(next, signal)[Symbol.asyncIterator]();
        return startingWith(await items.next(), items);
      };
      return openLater(() => this.#tryEach(input, models, begin));
    };
  }

  async #tryEach<Given extends Input, Result>(
    input: Given,
    models: readonly Given['model'][],
    attempt: (input: Given) => Promise<Result>,
  ): Promise<Result> {
    const alias = input.model.text;
    const failures: HearthError[] = [];
    for (const model of models) {
      input.report.choose({ alias, model: formatModelName(model.name) });
      try {
        return await attempt({ ...input, model });
      } catch (error) {
        if (!(error instanceof HearthError) || !passedOn.has(error.code)) throw error;
        failures.push(error);
        this.#logger.warn('a model of an alias cannot answer', { alias, model: model.text, reason: error.message });
      }
    }
    // A caller can come back when a model is less busy.
    throw failures.find(({ code }) => code === 'busy') ?? failures[0];
  }
}
