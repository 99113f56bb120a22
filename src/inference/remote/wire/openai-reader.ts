// Reads the chunks of /v1/chat/completions and /v1/completions.

import { HearthError } from '../../../base/errors.ts';
import type { MessageToolCall } from '../../model/conversation.ts';
import { brokenAnswer } from '../http/remote-error.ts';
import { parseWireObject, toCount, toList, toObject, toText, type WireObject } from '../json/json-fields.ts';
import { messageInError } from '../json/message-in-error.ts';
import { readCompletionLogprobs, readLogprobs } from './logprobs.ts';
import type { RemoteAnswer } from './remote-answer.ts';

const maxCalls = 128;
const maxArguments = 2 ** 20;
/** vLLM and SGLang end answers so when they are stopped or put to sleep. */
const failures: ReadonlySet<string> = new Set(['abort', 'error']);

/** Reads the chunks of one answer. Throws `remote_failed` if one of them is an error. */
export function createOpenAiReader(remote: string, answer: RemoteAnswer): (chunk: WireObject) => void {
  const calls = createCallCollector(remote);

  function readChoice(choice: WireObject): void {
    const delta = toObject(choice['delta']);
    readTexts(choice, delta, answer);
    for (const call of toList(delta['tool_calls'])) calls.push(toObject(call));
    const reason = toText(choice['finish_reason']);
    if (reason === '') return;
    if (failures.has(reason)) throw brokenAnswer(remote, 'stopped before its answer was complete');
    const found = calls.take(reason === 'length');
    if (found.length > 0) answer.calls(found);
    const stopSequence = toText(choice['stop_reason'] ?? choice['matched_stop']);
    answer.finish(reason === 'length' ? 'length' : 'stop', stopSequence || undefined);
  }

  return (chunk) => {
    if (isPresent(chunk['error']))
      throw new HearthError('remote_failed', `the remote "${remote}" failed: ${messageInError(chunk)}`);
    readUsage(chunk['usage'], answer);
    const [choice] = toList(chunk['choices']);
    if (choice !== undefined) readChoice(toObject(choice));
  };
}

/** Runs for each token, so it makes no object that it does not need. */
function readTexts(choice: WireObject, delta: WireObject, answer: RemoteAnswer): void {
  const thinking = toText(delta['reasoning_content'] ?? delta['reasoning']);
  if (thinking !== '') answer.thinking(thinking);
  const text = toText(choice['text'] ?? delta['content']);
  const logprobs = isPresent(choice['logprobs']) ? readChunkLogprobs(choice) : [];
  if (logprobs.length > 0) answer.text(text, logprobs);
  else if (text !== '') answer.text(text);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function readChunkLogprobs(choice: WireObject) {
  const logprobs = toObject(choice['logprobs']);
  return choice['delta'] === undefined ? readCompletionLogprobs(logprobs) : readLogprobs(toList(logprobs['content']));
}

function readUsage(value: unknown, answer: RemoteAnswer): void {
  if (typeof value !== 'object' || value === null) return;
  const usage = toObject(value);
  answer.usage({
    promptTokens: toCount(usage['prompt_tokens']),
    cachedTokens: toCount(toObject(usage['prompt_tokens_details'])['cached_tokens']),
    generatedTokens: toCount(usage['completion_tokens']),
  });
}

/** Joins the pieces of calls. */
function createCallCollector(remote: string) {
  const pieces = new Map<number, { id: string; name: string; text: string }>();
  return {
    push(piece: WireObject): void {
      const index = typeof piece['index'] === 'number' ? piece['index'] : pieces.size;
      const call = pieces.get(index) ?? { id: '', name: '', text: '' };
      if (!pieces.has(index) && pieces.size >= maxCalls) throw tooMuch(remote);
      pieces.set(index, call);
      const made = toObject(piece['function']);
      call.id ||= toText(piece['id']);
      call.name ||= toText(made['name']);
      call.text += toText(made['arguments']);
      if (call.text.length > maxArguments) throw tooMuch(remote);
    },
    /** `isCut`: the last call may be incomplete, and is left out then. */
    take(isCut: boolean): MessageToolCall[] {
      const found = [...pieces.values()].flatMap(({ id, name, text }) => {
        const values = text.trim() === '' ? {} : parseWireObject(text);
        if (values !== undefined && name !== '') return [{ id: id || undefined, name, arguments: values }];
        if (isCut) return [];
        throw new HearthError('remote_failed', `the remote "${remote}" sent a tool call that is not valid JSON`);
      });
      pieces.clear();
      return found;
    },
  };
}

function tooMuch(remote: string): HearthError {
  return new HearthError('remote_failed', `the remote "${remote}" sent tool calls that are too long`);
}
