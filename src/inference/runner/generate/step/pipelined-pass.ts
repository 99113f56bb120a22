// The pass that is computed. The processor computes it at once. A GPU computes while the caller goes on, so that the next
// step chooses the tokens, and everything in between costs no time: writing text, reading the pipe, requests that join and
// leave. This is the only difference between the two in a step.

import type { AnswerWriter } from './answer-writer.ts';
import type { EvaluatedPart, Evaluator, StartedPass } from './evaluator.ts';
import type { StepSources } from './step-sources.ts';

export class PipelinedPass {
  readonly #evaluator: Evaluator;
  readonly #answers: AnswerWriter;
  readonly #outbox: StepSources['outbox'];
  readonly #onGpu: boolean;
  #started: StartedPass | undefined;

  constructor(
    { outbox, hasDeviceMemory }: Pick<StepSources, 'outbox' | 'hasDeviceMemory'>,
    evaluator: Evaluator,
    answers: AnswerWriter,
  ) {
    this.#evaluator = evaluator;
    this.#answers = answers;
    this.#outbox = outbox;
    this.#onGpu = hasDeviceMemory;
  }

  decode(parts: readonly EvaluatedPart[]): void {
    this.#started = this.#evaluator.decode(parts);
    if (this.#onGpu) this.#answers.write();
  }

  /** Waits for the pass, and chooses its tokens. False if none is computing. */
  sample(): boolean {
    const pass = this.#started;
    this.#started = undefined;
    if (pass !== undefined) this.#evaluator.sample(pass);
    if (!this.#onGpu) this.#answers.writeDue();
    // After a prompt, a GPU may take longer to begin the next pass than to compute it: CUDA records a graph.
    else if (this.#answers.writeFirst()) this.#outbox.flush();
    return pass !== undefined;
  }

  /** Chooses the tokens in this step, unless a GPU computes them until the next one. */
  sampleEarly(): void {
    if (!this.#onGpu) this.sample();
  }
}
