// Answers that go on when their client disconnects, and that it can read again (docs/adr/0043). Their objects are in
// memory, bounded for each answer and for all together.

import type { FastifyRequest } from 'fastify';
import { HearthError, toHearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { SharedStreams } from '../../../base/state/shared-state.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import { type HeldRequest, type RequestTable, type Viewer, withCancelReason } from '../requests.ts';
import { AnswersElsewhere, type FollowAnswer } from './elsewhere.ts';
import { createObjectRing, type ObjectRing } from './object-ring.ts';
import { StreamCopy } from './stream-copy.ts';

interface ResumableOptions {
  readonly requests: Pick<RequestTable, 'hold'>;
  /** Absent: only this server has its answers. */
  readonly streams?: SharedStreams | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For all answers together. */
  readonly maxBytes: number;
  /** Milliseconds that an answer is kept after its end, or after it was last read. */
  readonly keptFor: number;
  /** Milliseconds that an unfinished answer goes on while nobody reads it. */
  readonly detachedFor: number;
}

interface Answer {
  readonly request: HeldRequest;
  readonly ring: ObjectRing;
  /** For other servers. */
  readonly copy: StreamCopy | undefined;
  readers: number;
  isFinished: boolean;
  timer?: Timer | undefined;
}

export const maxAnswerBytes = 4 * 2 ** 20;
// Without this much, an answer could not be read again.
const minAnswerBytes = 64 * 1024;
const retryAfterSeconds = 5;

/** The answers that are kept, the oldest first, and what they may take together. */
function createAnswerMemory(maxBytes: number) {
  const answers = new Map<string, Answer>();
  let total = 0;

  const forget = ({ request, ring, timer }: Answer): void => {
    timer?.cancel();
    if (answers.delete(request.scope.id)) total -= ring.bytes();
  };
  const remove = (answer: Answer): void => {
    forget(answer);
    answer.copy?.remove();
  };
  /** Removes finished answers until this many bytes fit. */
  const makeRoom = (bytes: number): void => {
    for (const answer of answers.values()) {
      if (total + bytes <= maxBytes) return;
      if (answer.isFinished) remove(answer);
    }
  };
  const append = ({ ring, copy }: Answer, object: object): void => {
    total += ring.append(object);
    copy?.append(object);
    makeRoom(0);
    while (ring.bytes() > Math.min(maxAnswerBytes, maxBytes) || (total > maxBytes && ring.bytes() > 0))
      total -= ring.dropOldest();
  };
  const hasRoom = (bytes: number): boolean => total + bytes <= maxBytes;
  return { answers, forget, remove, makeRoom, append, hasRoom };
}

export function createResumableAnswers(options: ResumableOptions) {
  const { requests, streams, clock, logger, maxBytes, keptFor, detachedFor } = options;
  const { answers, forget, remove, makeRoom, append, hasRoom } = createAnswerMemory(maxBytes);

  /** Only answers that are not read have a timer, and those that have ended. */
  function setTimer(answer: Answer): void {
    answer.timer?.cancel();
    answer.timer = undefined;
    if (answer.isFinished) answer.timer = clock.after(keptFor, () => remove(answer));
    else if (answer.readers === 0) answer.timer = clock.after(detachedFor, () => leave(answer));
  }

  /** Nobody reads the answer here. */
  function leave(answer: Answer): void {
    const { copy, request } = answer;
    if (copy === undefined) request.cancel();
    else
      void copy.isRead().then((isRead) => {
        if (isRead) setTimer(answer);
        else if (answer.readers === 0) request.cancel();
      });
  }

  async function run(answer: Answer, objects: AsyncIterable<object>): Promise<void> {
    try {
      for await (const object of objects) append(answer, object);
      answer.ring.end();
      answer.copy?.end();
    } catch (thrown) {
      const error = toHearthError(withCancelReason(thrown, answer.request.scope.signal));
      answer.request.report.fail(error.code, error.message);
      // Otherwise the stream of the reader logs it.
      if (answer.readers === 0 && error.code !== 'cancelled')
        logger.error('an answer that nobody reads failed', { code: error.code, error: error.message });
      answer.ring.end(error);
      answer.copy?.end(error);
    }
    answer.isFinished = true;
    setTimer(answer);
    answer.request.release();
  }

  const followOf = (answer: Answer): FollowAnswer => {
    async function* count(objects: AsyncGenerator<object>): AsyncGenerator<object> {
      answer.readers++;
      setTimer(answer);
      try {
        yield* objects;
      } finally {
        answer.readers--;
        setTimer(answer);
      }
    }
    return (from, signal) => count(answer.ring.follow(from, signal));
  };

  const elsewhere = new AnswersElsewhere(streams);
  streams?.onCancel((id) => answers.get(id)?.request.cancel());

  return {
    /** Runs the answer of the request to its end. Throws `busy` if there is no memory for it. */
    start(request: FastifyRequest, objects: AsyncIterable<object>): FollowAnswer {
      makeRoom(minAnswerBytes);
      if (!hasRoom(minAnswerBytes)) throw full(maxBytes);
      const ring = createObjectRing();
      const held = requests.hold(request);
      const { id, client: owner } = held.scope;
      const first = ring.first;
      const answer: Answer = {
        request: held,
        ring,
        copy: streams && new StreamCopy({ streams, clock, id, owner, keptFor, first }),
        readers: 0,
        isFinished: false,
      };
      answers.set(answer.request.scope.id, answer);
      setTimer(answer);
      void run(answer, objects);
      return followOf(answer);
    },
    /** Throws `request_not_found`, also for answers of other clients. */
    async find({ client }: Pick<Viewer, 'client'>, id: string): Promise<FollowAnswer> {
      const answer = answers.get(id);
      if (answer?.request.scope.client === client) return followOf(answer);
      return elsewhere.find(client, id);
    },
    /** Cancels an answer that another server generates. Throws `request_not_found`. */
    cancelElsewhere: ({ client }: Pick<Viewer, 'client'>, id: string): Promise<void> => elsewhere.cancel(client, id),
    /** Cancels answers that nobody reads, and forgets all. Other servers still have those that have ended. */
    close(): void {
      for (const answer of [...answers.values()]) {
        forget(answer);
        if (answer.readers === 0) answer.request.cancel();
      }
    },
  };
}

export type ResumableAnswers = ReturnType<typeof createResumableAnswers>;

function full(maxBytes: number): HearthError & { readonly retryAfterSeconds: number } {
  const message = `server busy: unfinished answers that can be resumed have reached ${Math.round(maxBytes / 2 ** 20)} MiB, please try again`;
  return Object.assign(new HearthError('busy', message), { retryAfterSeconds });
}
