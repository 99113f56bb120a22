// A request's hold on a loaded model. When the runner dies, whoever it had not taken up yet is not to blame and has lost
// nothing: such a request moves to another runner once, and its caller does not notice.

import { toHearthError } from '../../base/errors.ts';
import type { GenerateCommand } from '../protocol/messages.ts';
import type { GenerateEvent, GenerateRequest, Lease } from './ports.ts';
import type { Held } from './residency/residency.ts';

export interface LeaseOptions {
  readonly held: Held;
  /** Another hold on the same model. */
  readonly acquireAgain: (signal: AbortSignal) => Promise<Held>;
  readonly toCommand: (request: GenerateRequest) => Omit<GenerateCommand, 'type' | 'id'>;
}

export function createLease({ held: first, acquireAgain, toCommand }: LeaseOptions): Lease {
  let held = first;
  let holds = true;
  let begun = false;
  let moved = false;

  const begin = (): void => {
    begun = true;
    held.begin();
  };
  const release = (): void => {
    if (holds) held.release();
    holds = false;
  };
  const move = async (error: unknown, signal: AbortSignal): Promise<void> => {
    if (begun || moved || !holds || toHearthError(error).code !== 'runner_died') throw error;
    moved = true;
    // Before that, the model that is gone might be given out once more.
    await held.runner.exited;
    release();
    held = await acquireAgain(signal);
    holds = true;
  };

  async function* generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GenerateEvent> {
    try {
      // Until the runner takes it up, it counts among those who wait.
      for await (const event of held.runner.generate(toCommand(request), signal)) {
        begin();
        yield event;
      }
    } catch (error) {
      await move(error, signal);
      yield* generate(request, signal);
    }
  }

  return {
    get model() {
      return held.describe();
    },
    generate,
    async embed(texts, signal) {
      try {
        return await held.runner.embed(texts, signal, begin);
      } catch (error) {
        await move(error, signal);
        return held.runner.embed(texts, signal, begin);
      }
    },
    countTokens: (prompt, images) => held.runner.countTokens(prompt, images),
    tokenize: (...input) => held.runner.tokenize(...input),
    detokenize: (...input) => held.runner.detokenize(...input),
    release,
  };
}
