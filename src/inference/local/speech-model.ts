// A speech model: it writes down what is said, and does nothing else.

import { HearthError } from '../../base/errors.ts';
import { nanosecondsPerSecond } from '../../base/time/duration.ts';
import { resolveOptions } from '../../models/options.ts';
import type { HeldModel, Residency } from '../engine/residency/residency.ts';
import type { Model, OpenRequest } from '../model/model.ts';
import type { SpeechRequest, TranscriptEvent } from '../model/transcript.ts';
import type { PromptServices } from './prompt-model.ts';

type SpeechServices = Pick<PromptServices, 'describeCaller' | 'waitFailed' | 'clock'>;

export class SpeechModel implements Model {
  readonly name: string;
  readonly #services: SpeechServices;
  readonly #request: OpenRequest;
  readonly #hold: Residency['acquire'];
  #held: HeldModel | undefined;

  constructor(services: SpeechServices, request: OpenRequest, hold: Residency['acquire']) {
    this.name = request.model.displayName;
    this.#services = services;
    this.#request = request;
    this.#hold = hold;
  }

  async load(signal: AbortSignal): Promise<void> {
    if (this.#held !== undefined) return;
    const { clock, describeCaller, waitFailed } = this.#services;
    const { model, keepAliveMs, times } = this.#request;
    if (model.files.kind !== 'hosted') throw new HearthError('internal', `${this.name} is no speech model`);
    const started = clock.monotonic();
    try {
      const { load: options } = resolveOptions();
      const request = { ...describeCaller(), name: this.name, source: model.files, options, keepAlive: keepAliveMs };
      this.#held = await this.#hold(request, signal);
      times?.acquired(clock.monotonic());
    } catch (error) {
      waitFailed(this.name, (clock.monotonic() - started) / nanosecondsPerSecond);
      throw error;
    }
  }

  async *transcribe(request: SpeechRequest, signal: AbortSignal): AsyncGenerator<TranscriptEvent> {
    await this.load(signal);
    const { runner } = this.#held as HeldModel;
    if (!('transcribe' in runner)) throw new HearthError('internal', `${this.name} is not loaded as a speech model`);
    this.#held?.begin();
    yield* runner.transcribe(request, signal);
  }

  answer = (): never => this.#refuse();
  complete = (): never => this.#refuse();
  renderAnswer = (): never => this.#refuse();
  renderCompletion = (): never => this.#refuse();
  embed = (): never => this.#refuse();
  rank = (): never => this.#refuse();
  countPrompt = (): never => this.#refuse();
  tokenize = (): never => this.#refuse();
  detokenize = (): never => this.#refuse();
  piecesOf = (): never => this.#refuse();
  tokenizeGap = (): never => this.#refuse();

  release(): void {
    this.#held?.release();
    this.#held = undefined;
    this.#request.onRelease();
  }

  #refuse(): never {
    const message = `"${this.#request.requested.text}" is a speech model, which only transcribes audio: use /v1/audio/transcriptions`;
    throw new HearthError('unsupported', message);
  }
}
