// All events of a response: numbered, without long silences, and with a last event also after a failure.

import { type ErrorCode, type HearthError, toHearthError } from '../../../../../base/errors.ts';
import type { Logger } from '../../../../../base/logger.ts';
import { pipe } from '../../../../../base/pipe.ts';
import type { RequestReport } from '../../../../../base/request/request-report.ts';
import { withCancelReason } from '../../../../http/requests.ts';
import { fillSilence } from '../../../../http/streaming/fill-silence.ts';
import type { ToolChatEvent } from '../../../../services/tools/tool-chat.ts';
import type { ResponseEvent, UnnumberedEvent } from './events-schema.ts';
import { createToResponseEvents, type ResponseShape } from './response-events.ts';
import type { ResponseBody } from './response-schema.ts';

interface RunOptions extends ResponseShape {
  readonly report: RequestReport;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** False: every error is thrown. True: an error is the last event, if the client gets events. */
  readonly endsWithFailure: boolean;
}

// Codex gives up after 300 seconds without an event, and proxies earlier.
const silenceIntervalMs = 10_000;

/** An error before the first event is thrown, so that it gets a status. Only a prompt that is too long is an event of a
 * stream, as OpenAI sends it: Codex does not read its code from a status. */
export async function* runResponse(
  outputs: AsyncIterable<ToolChatEvent>,
  { report, signal, logger, endsWithFailure, ...shape }: RunOptions,
): AsyncGenerator<ResponseEvent> {
  let sequence_number = 0;
  let response: ResponseBody = shape.initial;
  let hasItems = false;
  const numbered = (event: UnnumberedEvent): ResponseEvent => {
    response = applyEvent(response, event);
    hasItems ||= event.type === 'response.output_item.added';
    return { ...event, sequence_number: sequence_number++ } as ResponseEvent;
  };
  // Clients replace the response that they have with that of an event, so it is not repeated after the first item.
  const filler = (): UnnumberedEvent => {
    if (hasItems) return { type: 'keepalive' };
    return { type: response.status === 'queued' ? 'response.queued' : 'response.in_progress', response };
  };
  try {
    // Until the prompt is accepted, other responses have no events.
    const { background } = response;
    for (const type of background ? (['response.created', 'response.queued'] as const) : [])
      yield numbered({ type, response });
    const events = pipe(outputs, createToResponseEvents(shape));
    const silence = { clock: shape.clock, intervalMs: silenceIntervalMs, fillsStart: background };
    const filled = fillSilence(events, { ...silence, filler });
    for await (const event of filled) yield numbered(event);
  } catch (thrown) {
    const error = toHearthError(withCancelReason(thrown, signal));
    const isTooLong = error.code === 'prompt_too_long';
    const isFirst = sequence_number === 0;
    if (!endsWithFailure || (isFirst && !isTooLong)) throw thrown;
    report.fail(error.code);
    const log = isTooLong ? logger.info : logger.error;
    if (error.code !== 'cancelled') log('response failed', { code: error.code, error: error.message });
    if (isFirst) yield numbered({ type: 'response.created', response: { ...response, status: 'in_progress' } });
    yield numbered(toFailure(response, error));
  }
}

/** The response after an event. */
export function applyEvent(response: ResponseBody, event: UnnumberedEvent): ResponseBody {
  if ('response' in event) return event.response;
  if (event.type === 'response.output_item.done') return { ...response, output: [...response.output, event.item] };
  return response;
}

export function isLast({ type }: UnnumberedEvent): boolean {
  return type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed';
}

/** Codes that agents recognize. */
const failureCodes: Readonly<Partial<Record<ErrorCode, string>>> = {
  prompt_too_long: 'context_length_exceeded',
  busy: 'server_is_overloaded',
  shutting_down: 'server_is_overloaded',
  bad_request: 'invalid_prompt',
  unauthorized: 'invalid_api_key',
};

// There is no event for a canceled response, and the SDK of OpenAI throws on events that it does not know.
export function toFailure(response: ResponseBody, { code, message }: HearthError): UnnumberedEvent {
  if (code === 'cancelled') return { type: 'response.incomplete', response: { ...response, status: 'cancelled' } };
  return {
    type: 'response.failed',
    response: { ...response, status: 'failed', error: { code: failureCodes[code] ?? 'server_error', message } },
  };
}
