// Requests to /api/chat and /api/generate, and the lines that answer them. Hearth and Ollama have the same options as
// this server, so nothing is lost.

import { HearthError } from '../../../base/errors.ts';
import type { OptionValues } from '../../../models/options.ts';
import type { GenerateRequest } from '../../engine/ports.ts';
import type { Message, MessageToolCall } from '../../model/conversation.ts';
import { toCount, toList, toObject, toText, type WireObject } from '../json/json-fields.ts';
import { messageInError } from '../json/message-in-error.ts';
import { readLogprobs } from './logprobs.ts';
import { toOpenAiTools } from './openai-messages.ts';
import type { RemoteAnswer } from './remote-answer.ts';
import type { RemoteConversation } from './remote-conversation.ts';
import { toOllamaOptions } from './translate-options.ts';
import { ignoredBudget, ignoredPrediction, ignoredVariables, type WireRequest } from './wire-request.ts';

const thinkVariables = ['enable_thinking', 'thinking', 'reasoning_effort'];

interface OllamaTarget {
  readonly model: string;
  readonly remote: string;
}

export function toOllamaChat({ model, remote }: OllamaTarget, request: RemoteConversation): WireRequest {
  const { messages, tools, toolChoice, format, think, options } = request;
  if (tools.length > 0 && toolChoice !== 'auto')
    throw new HearthError('unsupported', `the remote "${remote}" cannot be told to call a tool; use its kind openai`);
  return {
    path: '/api/chat',
    body: {
      model,
      messages: messages.map(toMessage),
      stream: true,
      ...(tools.length === 0 ? {} : { tools: toOpenAiTools(tools, 'ollama') }),
      ...(format === undefined ? {} : { format: toFormat(format) }),
      ...(think === undefined ? {} : { think }),
      options: toOllamaOptions(options),
      ...logprobFields(request),
    },
    ignored: [
      ...ignoredBias(request),
      ...ignoredBudget(request),
      ...ignoredPrediction(request),
      ...ignoredVariables(request, thinkVariables),
    ],
    ownStops: [],
  };
}

export function toOllamaGenerate(
  { model, remote }: OllamaTarget,
  request: GenerateRequest,
  given: OptionValues,
): WireRequest {
  const { prompt, context, images = [], grammar } = request;
  if (context.length > 0)
    throw new HearthError('unsupported', `the remote "${remote}" does not support prompts of tokens`);
  const { numPredict, stop } = request.options;
  return {
    path: '/api/generate',
    body: {
      model,
      prompt,
      raw: true,
      stream: true,
      ...(images.length === 0 ? {} : { images: images.map((image) => image.toString('base64')) }),
      ...(grammar === undefined ? {} : { format: toFormat({ type: 'gbnf', grammar }) }),
      options: toOllamaOptions({ ...given, numPredict, stop }),
      ...logprobFields(request),
    },
    ignored: [...ignoredBias(request), ...ignoredPrediction(request)],
    ownStops: [],
  };
}

function toMessage({ role, content, images = [], toolCalls = [], ...rest }: Message): object {
  const { thinking, toolName, toolCallId } = rest;
  return {
    role,
    content,
    ...(images.length === 0 ? {} : { images: images.map((image) => image.toString('base64')) }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(toCall) }),
    ...(thinking === undefined ? {} : { thinking }),
    tool_name: toolName,
    tool_call_id: toolCallId,
  };
}

function toCall({ id, name, arguments: values }: MessageToolCall): object {
  return { ...(id === undefined ? {} : { id }), function: { name, arguments: values } };
}

/** A grammar is a format that only Hearth has. Ollama refuses it. */
function toFormat(format: NonNullable<RemoteConversation['format']>): unknown {
  if (format.type === 'json') return 'json';
  return format.type === 'schema' ? format.schema : format;
}

function ignoredBias({ logitBias }: Pick<GenerateRequest, 'logitBias'>): string[] {
  return logitBias === undefined ? [] : ['logit_bias'];
}

function logprobFields({ topLogprobs }: Pick<GenerateRequest, 'topLogprobs'>): object {
  return topLogprobs === undefined ? {} : { logprobs: true, top_logprobs: topLogprobs };
}

/** Throws `remote_failed` if the line is an error. */
export function readOllamaLine(remote: string, line: WireObject, answer: RemoteAnswer): void {
  if (line['error'] !== undefined)
    throw new HearthError('remote_failed', `the remote "${remote}" failed: ${messageInError(line)}`);
  readMessage(line, answer);
  if (line['done'] !== true) return;
  answer.usage({
    promptTokens: toCount(line['prompt_eval_count']),
    cachedTokens: toCount(line['prompt_eval_cached_count']),
    generatedTokens: toCount(line['eval_count']),
    promptNanoseconds: toCount(line['prompt_eval_duration']),
    generateNanoseconds: toCount(line['eval_duration']),
  });
  answer.finish(line['done_reason'] === 'length' ? 'length' : 'stop');
}

function readMessage(line: WireObject, answer: RemoteAnswer): void {
  const message = toObject(line['message']);
  const thinking = toText(message['thinking'] ?? line['thinking']);
  if (thinking !== '') answer.thinking(thinking);
  const text = toText(message['content'] ?? line['response']);
  const logprobs = readLogprobs(toList(line['logprobs']));
  if (text !== '' || logprobs.length > 0) answer.text(text, logprobs.length > 0 ? logprobs : undefined);
  const calls = toList(message['tool_calls']).map(toObject).map(readCall);
  if (calls.length > 0) answer.calls(calls);
}

function readCall(call: WireObject): MessageToolCall {
  const made = toObject(call['function']);
  const id = toText(call['id']);
  return { id: id || undefined, name: toText(made['name']), arguments: toObject(made['arguments']) };
}
