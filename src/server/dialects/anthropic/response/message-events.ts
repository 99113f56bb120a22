// Converts the output of the chat service to the events of a message. Blocks do not overlap: one is closed before the
// next is opened.

import type { AnswerDone, AnswerEvent } from '../../../../inference/model/answer-event.ts';
import type {
  BlockDelta,
  DeltaUsage,
  MessageEvent,
  MessageResponseBody,
  MessageUsage,
  ResponseBlock,
  StopReason,
} from './messages-response-schema.ts';

export type StartedOutput = Extract<AnswerEvent, { type: 'started' }>;

export interface MessageShape {
  readonly id: string;
  readonly model: string;
  readonly started: StartedOutput;
  readonly maxTokens: number | undefined;
  readonly stopSequences: readonly string[];
  /** The text of the thinking is left out. */
  readonly omitThinking: boolean;
  readonly newToolUseId: () => string;
}

type ToolCall = Extract<AnswerEvent, { type: 'tool-calls' }>['calls'][number];

/** `outputs` are those after `started`. */
export async function* toMessageEvents(
  outputs: AsyncIterable<AnswerEvent>,
  shape: MessageShape,
): AsyncGenerator<MessageEvent> {
  const writer = createBlockWriter();
  let calls = 0;
  yield { type: 'message_start', message: emptyMessage(shape) };
  for await (const output of outputs) {
    if (output.type === 'thinking') {
      yield* writer.open('thinking');
      if (!shape.omitThinking) yield writer.delta({ type: 'thinking_delta', thinking: output.text });
    }
    if (output.type === 'text') {
      yield* writer.open('text');
      yield writer.delta({ type: 'text_delta', text: output.text });
    }
    if (output.type === 'tool-calls') {
      calls += output.calls.length;
      for (const call of output.calls) yield* writer.toolUse(call, shape.newToolUseId());
    }
    if (output.type === 'done') {
      yield* writer.close();
      yield {
        type: 'message_delta',
        delta: stopFields(output, calls, shape),
        usage: toDeltaUsage(output, output),
      };
    }
  }
  yield { type: 'message_stop' };
}

const emptyBlocks = {
  thinking: { type: 'thinking', thinking: '', signature: '' },
  text: { type: 'text', text: '' },
} as const;

function createBlockWriter() {
  let index = -1;
  let current: keyof typeof emptyBlocks | undefined;

  const start = (content_block: ResponseBlock): MessageEvent => {
    index++;
    return { type: 'content_block_start', index, content_block };
  };
  const delta = (change: BlockDelta): MessageEvent => ({ type: 'content_block_delta', index, delta: change });
  const stop = (): MessageEvent => ({ type: 'content_block_stop', index });

  function* close(): Generator<MessageEvent> {
    if (current === undefined) return;
    if (current === 'thinking') yield delta({ type: 'signature_delta', signature: '' });
    yield stop();
    current = undefined;
  }

  return {
    delta,
    close,
    /** Does nothing if the current block is of this type. */
    *open(type: keyof typeof emptyBlocks): Generator<MessageEvent> {
      if (current === type) return;
      yield* close();
      yield start(emptyBlocks[type]);
      current = type;
    },
    /** A complete block. */
    *toolUse({ name, arguments: input }: ToolCall, id: string): Generator<MessageEvent> {
      yield* close();
      yield start({ type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } });
      yield delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) });
      yield stop();
    },
  };
}

function emptyMessage({ id, model, started }: MessageShape): MessageResponseBody {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: toUsage(started),
  };
}

function toUsage(started: StartedOutput): MessageUsage {
  return {
    ...toDeltaUsage(started, { generatedTokens: 0, thinkingTokens: 0 }),
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    inference_geo: null,
    service_tier: null,
    speed: null,
  };
}

function toDeltaUsage(
  { promptTokens, cachedTokens }: Pick<StartedOutput, 'promptTokens' | 'cachedTokens'>,
  { generatedTokens, thinkingTokens }: Pick<AnswerDone, 'generatedTokens' | 'thinkingTokens'>,
): DeltaUsage {
  return {
    input_tokens: promptTokens - cachedTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation_input_tokens: 0,
    output_tokens: generatedTokens,
    output_tokens_details: { thinking_tokens: thinkingTokens },
    server_tool_use: null,
  };
}

type StopFields = Extract<MessageEvent, { type: 'message_delta' }>['delta'];

function stopFields(done: AnswerDone, calls: number, shape: MessageShape): StopFields {
  const stop_reason = stopReason(done, calls, shape);
  const stop_sequence = stop_reason === 'stop_sequence' ? (done.stopSequence ?? null) : null;
  return { stop_reason, stop_sequence, stop_details: null, container: null };
}

function stopReason(
  { reason, generatedTokens, stopSequence }: AnswerDone,
  calls: number,
  { maxTokens = Number.POSITIVE_INFINITY, stopSequences }: MessageShape,
): StopReason {
  if (reason === 'length') return generatedTokens >= maxTokens ? 'max_tokens' : 'model_context_window_exceeded';
  if (calls > 0) return 'tool_use';
  // A stop sequence of the model is the end of its turn.
  return stopSequence !== undefined && stopSequences.includes(stopSequence) ? 'stop_sequence' : 'end_turn';
}
