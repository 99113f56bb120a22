// What is known about the work of a request: its model, its failure, the tokens and texts of its answers. The request
// table creates a report, the route hands it to its service, and the log, the metrics and the usage read it, also while
// the request runs and after it was aborted.

import type { ErrorCode, HearthError } from '../errors.ts';
import { RequestTimes } from './request-times.ts';

/** The tokens of one answer, so far. */
export interface TokenCount {
  promptTokens: number;
  /** The part of the prompt that the prefix cache provided. */
  cachedTokens: number;
  generatedTokens: number;
}

/** A prompt as the model got it, and what the model answered. */
export interface Exchange {
  readonly prompt: string;
  answer: string;
}

/** Work that goes on after the response. */
interface RequestContinuation {
  readonly report: RequestReport;
  readonly ended: Promise<void>;
  cancel(reason: HearthError): void;
}

export const exchangeLimits = {
  /** For a prompt, and for an answer. */
  maxCharacters: 256 * 1024,
  /** A request may have many choices. */
  maxExchanges: 16,
} as const;

const ignoredLimits = { maxNames: 32, maxLength: 64 };

interface ReportOptions {
  /** When the request arrived: a time of the monotonic clock. */
  readonly arrivedAt?: number;
  readonly keepsTexts?: boolean;
  /** Called with new names of fields that have no effect. It may throw to refuse the request. */
  readonly onIgnored?: (names: readonly string[]) => void;
  /** Called with the model that an alias stands for. */
  readonly onChosen?: (model: string) => void;
}

export class RequestReport {
  /** Empty until it is known. */
  model = '';
  /** The name in the request that stood for the model. */
  alias?: string;
  /** What the audit log says the request was about, if the request itself does not say it. */
  subject?: string;
  continuation?: RequestContinuation;
  readonly times: RequestTimes;
  readonly counts: TokenCount[] = [];
  readonly exchanges: Exchange[] = [];
  readonly #keepsTexts: boolean;
  readonly #onIgnored: NonNullable<ReportOptions['onIgnored']>;
  readonly #onChosen: NonNullable<ReportOptions['onChosen']>;
  readonly #ignored = new Set<string>();
  #failure?: { readonly code: ErrorCode; readonly reason: string | undefined };

  constructor({ arrivedAt = 0, keepsTexts = false, onIgnored = () => {}, onChosen = () => {} }: ReportOptions = {}) {
    this.times = new RequestTimes(arrivedAt);
    this.#keepsTexts = keepsTexts;
    this.#onIgnored = onIgnored;
    this.#onChosen = onChosen;
  }

  /** The request is carried out by this model of an alias, unless that one fails. */
  choose({ alias, model }: { readonly alias: string; readonly model: string }): void {
    this.alias = alias;
    this.#onChosen(model);
  }

  get failure(): ErrorCode | undefined {
    return this.#failure?.code;
  }

  /** The message of the failure. */
  get reason(): string | undefined {
    return this.#failure?.reason;
  }

  /** Keeps the first failure. */
  fail(code: ErrorCode, reason?: string): void {
    this.#failure ??= { code, reason };
  }

  /** Names of fields that have no effect. Only some of very many are kept. */
  get ignored(): readonly string[] {
    return [...this.#ignored];
  }

  /** The request has fields without effect. Throws if such requests are refused. */
  ignore(names: readonly string[]): void {
    const room = ignoredLimits.maxNames - this.#ignored.size;
    const unnamed = names.slice(0, ignoredLimits.maxNames).map((name) => name.slice(0, ignoredLimits.maxLength));
    const added = [...new Set(unnamed)].filter((name) => !this.#ignored.has(name)).slice(0, room);
    if (added.length === 0) return;
    for (const name of added) this.#ignored.add(name);
    this.#onIgnored(added);
  }

  /** For work that goes on after the response. */
  createNext(): RequestReport {
    const { arrivedAt } = this.times;
    return new RequestReport({ arrivedAt, keepsTexts: this.#keepsTexts, onIgnored: this.#onIgnored });
  }

  openCount(): TokenCount {
    const count = { promptTokens: 0, cachedTokens: 0, generatedTokens: 0 };
    this.counts.push(count);
    return count;
  }

  /** Returns a function that adds text to the answer, or undefined if texts are not kept. */
  openExchange(prompt: string): ((text: string) => void) | undefined {
    if (!this.#keepsTexts || this.exchanges.length >= exchangeLimits.maxExchanges) return undefined;
    const exchange: Exchange = { prompt: shorten(prompt), answer: '' };
    this.exchanges.push(exchange);
    return (text) => {
      exchange.answer += text.slice(0, exchangeLimits.maxCharacters - exchange.answer.length);
    };
  }
}

/** The input of a service that reports about its work. */
export type Reported<Input> = Input & { readonly report: RequestReport };

export function sumCounts(counts: readonly TokenCount[]): Readonly<TokenCount> {
  const sum = (field: keyof TokenCount): number => counts.reduce((total, count) => total + count[field], 0);
  return {
    promptTokens: sum('promptTokens'),
    cachedTokens: sum('cachedTokens'),
    generatedTokens: sum('generatedTokens'),
  };
}

/** Leaves out the middle: instructions are at the start of a prompt, the question is at its end. */
function shorten(text: string): string {
  const left = text.length - exchangeLimits.maxCharacters;
  if (left <= 0) return text;
  const half = exchangeLimits.maxCharacters / 2;
  const short = `${text.slice(0, half)}\n[${left} characters left out]\n${text.slice(-half)}`;
  // A slice would keep the whole text in memory.
  return Buffer.from(short).toString();
}
