// One request for a transcript: half a minute of audio at a time.

import koffi from 'koffi';
import { badRequest, HearthError } from '../../base/errors.ts';
import { audioTooLong } from '../../formats/speech/check-audio.ts';
import type { SpeechRequest, TranscriptEvent, TranscriptSegment } from '../../inference/model/transcript.ts';
import type { Address } from '../../inference/runner/llama/bindings/pointers.ts';
import { AudioReader, sampleRate } from './audio-reader.ts';
import { splitTokens, type WindowToken } from './split-tokens.ts';
import type { WhisperApi, WhisperPointer } from './whisper-api.ts';

export interface LoadedWhisper {
  readonly api: WhisperApi;
  readonly whisper: WhisperPointer;
  readonly threads: number;
}

const windowSamples = 30 * sampleRate;
// The network needs some audio, and less is not speech.
const leastSamples = sampleRate;
const ticksPerSecond = 100;
const secondsPerTime = 0.02;
const maxPromptLength = 1000;
const maxTokenBytes = 1024;

export class Transcriber {
  readonly #model: LoadedWhisper;
  readonly #request: SpeechRequest;
  readonly #reader: AudioReader;
  // The first byte is 1 when the work is to end. As in inference/runner/llama/abort-flag.ts.
  readonly #flag = Buffer.alloc(2);
  #waiting = new Float32Array(0);
  /** Samples before `#waiting`. */
  #passed = 0;
  #previous: string;
  #language: string | undefined;

  /** Throws `bad_request`. */
  constructor(model: LoadedWhisper, request: SpeechRequest) {
    const { language } = request;
    if (language !== undefined && (model.api.languageId(language) < 0 || language.length < 2))
      throw badRequest(`the language "${language}" is not known`);
    this.#model = model;
    this.#request = request;
    this.#previous = request.prompt ?? '';
    this.#language = model.api.isMultilingual(model.whisper) === 0 ? 'en' : language;
    this.#reader = new AudioReader(model.api, request.audio);
  }

  cancel(): void {
    this.#flag[0] = 1;
  }

  get isCanceled(): boolean {
    return this.#flag[0] === 1;
  }

  close(): void {
    this.#reader.close();
  }

  /** The events of the next window. The last one is `done`. */
  async next(): Promise<TranscriptEvent[]> {
    this.#fill();
    const { samples } = this.#reader;
    if (samples === 0) throw badRequest('the audio file has no audio');
    if (this.#waiting.length < leastSamples / 10) return [this.#done(samples)];
    const { segments, next } = await this.#transcribe();
    const used = Math.max(Math.round(next * sampleRate), leastSamples / 10);
    this.#waiting = this.#waiting.slice(used);
    this.#passed += used;
    return segments.map((segment) => ({ type: 'segment', segment }));
  }

  #fill(): void {
    const { maxSeconds } = this.#request;
    const more = this.#reader.read(windowSamples - this.#waiting.length);
    if (this.#reader.samples > maxSeconds * sampleRate) throw audioTooLong(maxSeconds);
    const joined = new Float32Array(this.#waiting.length + more.length);
    joined.set(this.#waiting);
    joined.set(more, this.#waiting.length);
    this.#waiting = joined;
  }

  #done(samples: number): TranscriptEvent {
    const { api } = this.#model;
    const id = api.languageId(this.#language ?? 'en');
    return { type: 'done', language: api.languageName(id) ?? '', seconds: samples / sampleRate };
  }

  async #transcribe(): Promise<{ readonly segments: readonly TranscriptSegment[]; readonly next: number }> {
    const { api, whisper, threads } = this.#model;
    const { translates, temperature } = this.#request;
    const samples = new Float32Array(Math.max(this.#waiting.length, leastSamples));
    samples.set(this.#waiting);
    const params = {
      ...api.fullDefaults(0),
      n_threads: threads,
      translate: translates,
      // Requests take turns, so the text before this window is given as a prompt.
      no_context: true,
      initial_prompt: this.#previous.slice(-maxPromptLength),
      // One window, with the tokens of all its segments.
      single_segment: true,
      token_timestamps: true,
      language: this.#language ?? 'auto',
      temperature,
      print_progress: false,
      abort_callback: koffi.load(null).symbol('strlen') as Address,
      abort_callback_user_data: this.#flag as Uint8Array,
    };
    const result = await api.run(whisper, params, samples, samples.length);
    if (this.isCanceled) throw new HearthError('cancelled', 'the request was canceled');
    if (result !== 0) throw new HearthError('request_failed', `the speech model failed with ${result}`);
    // Later windows do not detect the language again.
    this.#language ??= api.languageCode(api.foundLanguage(whisper)) ?? undefined;
    const split = splitTokens(this.#readTokens(), {
      start: this.#passed / sampleRate,
      length: this.#waiting.length / sampleRate,
      noSpeech: api.segments(whisper) === 0 ? 1 : api.noSpeech(whisper, 0),
    });
    this.#previous += split.segments.map(({ text }) => text).join('');
    this.#previous = this.#previous.slice(-maxPromptLength);
    return split;
  }

  #readTokens(): WindowToken[] {
    const { api, whisper } = this.#model;
    const tokens: WindowToken[] = [];
    const firstTime = api.firstTime(whisper);
    const endOfText = api.endOfText(whisper);
    for (let segment = 0; segment < api.segments(whisper); segment++)
      for (let index = 0; index < api.tokens(whisper, segment); index++) {
        const { id, plog, t0, t1 } = api.tokenData(whisper, segment, index);
        const logprob = Math.max(Number.isFinite(plog) ? plog : -100, -100);
        const time = (id - firstTime) * secondsPerTime;
        if (id >= firstTime) tokens.push({ id, start: time, end: time, logprob });
        else if (id < endOfText) {
          const [start, end] = [t0, t1].map((tick) => Math.max(Number(tick), 0) / ticksPerSecond) as [number, number];
          tokens.push({ id, text: textOf(api, api.tokenText(whisper, id)), start, end, logprob });
        }
      }
    return tokens;
  }
}

/** A token may be a part of a character. */
function textOf(api: WhisperApi, address: Address): Buffer {
  return Buffer.from(koffi.view(address, Math.min(api.lengthOf(address), maxTokenBytes)) as ArrayBuffer);
}
