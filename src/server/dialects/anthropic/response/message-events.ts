// Converts the output of the chat service to the events of a message. Blocks do not overlap: one is closed before the
// next is opened.

import type { Step } from '../../../../base/pipe.ts';
import type { AnswerDone, AnswerEvent, AnswerStarted } from '../../../../inference/model/answer-event.ts';
import type { ToolChatEvent } from '../../../services/tools/tool-chat.ts';
import type { ServerCall, ToolResult } from '../../../services/tools/tool-server.ts';
import type {
  BlockDelta,
  DeltaUsage,
  MessageEvent,
  MessageResponseBody,
  MessageUsage,
  ResponseBlock,
  StopReason,
} from './messages-response-schema.ts';

export interface MessageShape {
  readonly id: string;
  readonly model: string;
  readonly maxTokens: number | undefined;
  readonly stopSequences: readonly string[];
  /** The text of the thinking is left out. */
  readonly omitThinking: boolean;
  readonly newToolUseId: (prefix: 'toolu' | 'mcptoolu') => string;
}

type ToolCall = Extract<AnswerEvent, { type: 'tool-calls' }>['calls'][number];

export function createToMessageEvents(shape: MessageShape): Step<ToolChatEvent, MessageEvent> {
  const blocks = new BlockWriter();
  let serverCall = '';
  let calls = 0;
  return {
    push(output, pass) {
      switch (output.type) {
        case 'started':
          pass({ type: 'message_start', message: emptyMessage(shape, output) });
          break;
        case 'thinking':
          blocks.open('thinking', pass);
          if (!shape.omitThinking) blocks.delta({ type: 'thinking_delta', thinking: output.text }, pass);
          break;
        case 'text':
          blocks.open('text', pass);
          blocks.delta({ type: 'text_delta', text: output.text }, pass);
          break;
        case 'tool-calls':
          calls += output.calls.length;
          for (const call of output.calls) blocks.toolUse(call, shape.newToolUseId('toolu'), pass);
          break;
        // The result follows before another call.
        case 'server-call':
          serverCall = shape.newToolUseId('mcptoolu');
          blocks.serverCall(output.call, serverCall, pass);
          break;
        case 'server-result':
          blocks.serverResult(output.result, serverCall, pass);
          break;
        case 'done':
          blocks.close(pass);
          pass({ type: 'message_delta', delta: stopFields(output, calls, shape), usage: toDeltaUsage(output, output) });
      }
    },
    end: (pass) => pass({ type: 'message_stop' }),
  };
}

const emptyBlocks = {
  thinking: { type: 'thinking', thinking: '', signature: '' },
  text: { type: 'text', text: '', citations: [] },
} as const;

type Pass = (event: MessageEvent) => void;

class BlockWriter {
  #index = -1;
  #current: keyof typeof emptyBlocks | undefined;

  /** Does nothing if the current block is of this type. */
  open(type: keyof typeof emptyBlocks, pass: Pass): void {
    if (this.#current === type) return;
    this.close(pass);
    this.#start(emptyBlocks[type], pass);
    this.#current = type;
  }

  delta(delta: BlockDelta, pass: Pass): void {
    pass({ type: 'content_block_delta', index: this.#index, delta });
  }

  close(pass: Pass): void {
    if (this.#current === undefined) return;
    if (this.#current === 'thinking') this.delta({ type: 'signature_delta', signature: '' }, pass);
    pass({ type: 'content_block_stop', index: this.#index });
    this.#current = undefined;
  }

  /** A complete block. */
  toolUse({ name, arguments: input }: ToolCall, id: string, pass: Pass): void {
    this.#call({ type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } }, input, pass);
  }

  serverCall({ server, tool, values }: ServerCall, id: string, pass: Pass): void {
    this.#call({ type: 'mcp_tool_use', id, name: tool, server_name: server, input: {} }, values, pass);
  }

  serverResult({ text, isError }: ToolResult, id: string, pass: Pass): void {
    const content = [{ type: 'text', text, citations: [] }] as const;
    this.#start({ type: 'mcp_tool_result', tool_use_id: id, is_error: isError, content: [...content] }, pass);
    pass({ type: 'content_block_stop', index: this.#index });
  }

  #call(block: ResponseBlock, input: object, pass: Pass): void {
    this.close(pass);
    this.#start(block, pass);
    this.delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) }, pass);
    pass({ type: 'content_block_stop', index: this.#index });
  }

  #start(content_block: ResponseBlock, pass: Pass): void {
    this.#index++;
    pass({ type: 'content_block_start', index: this.#index, content_block });
  }
}

function emptyMessage({ id, model }: MessageShape, started: AnswerStarted): MessageResponseBody {
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

function toUsage(started: AnswerStarted): MessageUsage {
  return {
    ...toDeltaUsage(started, { generatedTokens: 0, thinkingTokens: 0 }),
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    inference_geo: null,
    service_tier: null,
    speed: null,
  };
}

function toDeltaUsage(
  { promptTokens, cachedTokens }: Pick<AnswerStarted, 'promptTokens' | 'cachedTokens'>,
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
  return { stop_reason, stop_sequence, stop_details: null, container: null, schema_violations: done.violations };
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
