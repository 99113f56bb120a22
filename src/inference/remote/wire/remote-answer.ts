// The events of an answer, from what the readers find in the objects of a remote. Texts that follow each other in one
// chunk are joined. A remote says nothing about its start, and not every one counts tokens and measures times.

import type { Clock } from '../../../base/time/clock.ts';
import type { AnswerDone, AnswerEvent, AnswerTokens } from '../../model/answer-event.ts';
import type { MessageToolCall } from '../../model/conversation.ts';
import { StopCutter } from './cut-at-stops.ts';
import type { WireRequest } from './wire-request.ts';

type Logprobs = AnswerTokens['logprobs'];

/** Times are absent if the remote does not measure them. */
interface RemoteUsage extends Pick<AnswerDone, 'promptTokens' | 'cachedTokens' | 'generatedTokens'> {
  readonly promptNanoseconds?: number;
  readonly generateNanoseconds?: number;
}

interface Text {
  readonly type: 'text' | 'thinking';
  text: string;
  logprobs: Logprobs;
  /** How many pieces the remote sent it in. */
  pieces: number;
}

type Waiting = Text | { readonly type: 'tool-calls'; readonly calls: readonly MessageToolCall[] };

interface AnswerTimes {
  /** When the request was sent: a time of the monotonic clock. */
  readonly begun: number;
  readonly clock: Clock;
}

export class RemoteAnswer {
  readonly #ignored: readonly string[];
  readonly #cutter: StopCutter | undefined;
  readonly #times: AnswerTimes;
  /** What was not passed on yet. */
  #waiting: Waiting[] = [];
  #usage: Partial<RemoteUsage> = {};
  #finish: Pick<AnswerDone, 'reason' | 'stopSequence'> | undefined;
  #isCut = false;
  #answeredAt: number | undefined;
  #hasStarted = false;
  #pieces = 0;

  constructor({ ignored, ownStops }: Pick<WireRequest, 'ignored' | 'ownStops'>, times: AnswerTimes) {
    this.#ignored = ignored;
    this.#cutter = ownStops.length === 0 ? undefined : new StopCutter(ownStops);
    this.#times = times;
  }

  /** The answer has its end. */
  get isFinished(): boolean {
    return this.#finish !== undefined;
  }

  /** A stop sequence was found: nothing more is read. */
  get isCut(): boolean {
    return this.#isCut;
  }

  text(text: string, logprobs?: Logprobs): void {
    if (this.#cutter === undefined) {
      this.#add('text', text, logprobs);
      return;
    }
    if (this.#isCut) return;
    const cut = this.#cutter.push(text);
    if (cut.text !== '' || logprobs !== undefined) this.#add('text', cut.text, logprobs);
    if (cut.stop === undefined) return;
    this.#finish = { reason: 'stop', stopSequence: cut.stop };
    this.#isCut = true;
  }

  thinking(text: string): void {
    if (!this.#isCut) this.#add('thinking', text);
  }

  calls(calls: readonly MessageToolCall[]): void {
    if (this.#isCut) return;
    this.#answer();
    this.#waiting.push({ type: 'tool-calls', calls });
  }

  usage(usage: RemoteUsage): void {
    if (this.#isCut) return;
    this.#answer();
    this.#usage = usage;
  }

  finish(reason: AnswerDone['reason'], stopSequence?: string): void {
    if (this.#isCut) return;
    this.#answer();
    const rest = this.#cutter?.rest() ?? '';
    if (rest !== '') this.#add('text', rest);
    this.#finish = { reason, stopSequence };
  }

  /** Passes on what has come since the last call. */
  flush(pass: (event: AnswerEvent) => void): void {
    if (this.#answeredAt === undefined) return;
    if (!this.#hasStarted) {
      // The remote counts the prompt at the end.
      const counts = { promptTokens: 0, cachedTokens: 0, droppedTokens: 0 };
      pass({ type: 'started', ...counts, ignored: this.#ignored.length === 0 ? undefined : this.#ignored });
    }
    this.#hasStarted = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const part of waiting) {
      this.#pieces += part.type === 'tool-calls' ? 1 : part.pieces;
      // The remote has separated thinking and calls from the text.
      const { text, logprobs } = part.type === 'text' ? part : { text: '' };
      pass({ type: 'tokens', text, logprobs, generatedTokens: this.#pieces });
      if (part.type === 'thinking') pass({ type: 'thinking', text: part.text });
      if (part.type === 'tool-calls') pass(part);
    }
  }

  end(): AnswerDone {
    const { begun, clock } = this.#times;
    const ended = clock.monotonic();
    const answeredAt = this.#answeredAt ?? ended;
    // Without a count: each piece has at least one token.
    const { promptTokens = 0, cachedTokens = 0, generatedTokens = this.#pieces } = this.#usage;
    const { promptNanoseconds = answeredAt - begun, generateNanoseconds = ended - answeredAt } = this.#usage;
    const counts = { promptTokens, promptNanoseconds, generatedTokens, generateNanoseconds, cachedTokens };
    const times = { totalNanoseconds: ended - begun, loadNanoseconds: 0 };
    return { type: 'done', reason: 'stop', ...this.#finish, ...counts, thinkingTokens: 0, ...times };
  }

  #answer(): void {
    this.#answeredAt ??= this.#times.clock.monotonic();
  }

  /** Changes the text that waits: this runs for most tokens, and copying it would take several times as long. */
  #add(type: Text['type'], text: string, logprobs?: Logprobs): void {
    this.#answer();
    const last = this.#waiting.at(-1);
    if (last?.type !== type) {
      this.#waiting.push({ type, text, logprobs, pieces: 1 });
      return;
    }
    last.text += text;
    last.pieces++;
    if (logprobs !== undefined) last.logprobs = [...(last.logprobs ?? []), ...logprobs];
  }
}
