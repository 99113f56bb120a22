// The pieces of work of one request, for traces: answers, calls of tools, requests to remotes. They are kept only if the
// trace of the request is exported. Times are those of the monotonic clock.

import type { Clock } from '../time/clock.ts';
import type { TimedPart } from './request-times.ts';

interface Piece {
  readonly from: number;
  readonly until: number;
  /** The code of the error that ended it. Absent: it succeeded. */
  readonly failure?: string | undefined;
}

export interface AnswerWork extends Piece {
  readonly type: 'answer';
  readonly operation: 'chat' | 'complete' | 'embed';
  /** As the request names it. */
  readonly requested: string;
  readonly model: string;
  readonly parts: readonly TimedPart[];
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly generatedTokens: number;
  readonly thinkingTokens: number;
  readonly reason?: string | undefined;
}

export interface ToolWork extends Piece {
  readonly type: 'tool';
  readonly server: string;
  readonly tool: string;
  readonly callId: string;
}

export interface RemoteWork extends Piece {
  readonly type: 'remote';
  /** The remote has it as the parent of its own work. */
  readonly spanId: string;
  readonly remote: string;
  readonly kind: string;
  readonly url: string;
  readonly model: string;
}

type WorkPiece = AnswerWork | ToolWork | RemoteWork;

/** A request may have many choices, and its model may call many tools. */
const maxPieces = 256;

export class RequestWork {
  readonly #clock: Clock;
  readonly #newSpanId: () => string;
  readonly pieces: WorkPiece[] = [];

  constructor(clock: Clock, newSpanId: () => string) {
    this.#clock = clock;
    this.#newSpanId = newSpanId;
  }

  now(): number {
    return this.#clock.monotonic();
  }

  newSpanId(): string {
    return this.#newSpanId();
  }

  add(piece: WorkPiece): void {
    if (this.pieces.length < maxPieces) this.pieces.push(piece);
  }
}
