// Requests to /v1/chat/completions and /v1/completions.

import { HearthError } from '../../../base/errors.ts';
import type { OptionValues } from '../../../models/options.ts';
import { thinkLevelOf } from '../../../models/think.ts';
import type { GenerateRequest } from '../../engine/ports.ts';
import type { RemoteKind } from '../endpoint.ts';
import { toOpenAiMessages, toOpenAiTools } from './openai-messages.ts';
import type { RemoteConversation, RemoteFormat } from './remote-conversation.ts';
import { translateOptions } from './translate-options.ts';
import { ignoredBudget, ignoredPrediction, ignoredVariables, type WireRequest } from './wire-request.ts';

export interface OpenAiTarget {
  readonly kind: Exclude<RemoteKind, 'ollama'>;
  /** The name of the model there. */
  readonly model: string;
  /** The name of the remote, for messages. */
  readonly remote: string;
  /** Tokens of the context there. Absent: unknown. */
  readonly contextLength?: number | undefined;
}

const streamFields = { stream: true, stream_options: { include_usage: true } };

export function toChatRequest(target: OpenAiTarget, request: RemoteConversation): WireRequest {
  const { kind, model } = target;
  const { messages, tools, toolChoice, parallelCalls, format, topLogprobs, options, prediction } = request;
  const { fields, ignored, ownStops } = translateOptions(kind, options);
  return {
    path: '/v1/chat/completions',
    body: {
      model,
      messages: toOpenAiMessages(messages, kind),
      ...streamFields,
      ...fields,
      ...(tools.length === 0
        ? {}
        : {
            tools: toOpenAiTools(tools, kind),
            tool_choice: toToolChoice(toolChoice),
            parallel_tool_calls: parallelCalls,
          }),
      ...(format === undefined ? {} : formatFields(target, format)),
      ...thinkFields(kind, request),
      ...(topLogprobs === undefined ? {} : { logprobs: true, top_logprobs: topLogprobs }),
      ...biasField(request),
      ...(kind === 'openai' && prediction !== undefined
        ? { prediction: { type: 'content', content: prediction } }
        : {}),
    },
    ignored: [
      ...ignored,
      ...(kind === 'vllm' ? [] : ignoredBudget(request)),
      ...(kind === 'openai' ? ignoredVariables(request) : ignoredPrediction(request)),
    ],
    ownStops,
  };
}

function toToolChoice(choice: RemoteConversation['toolChoice']): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}

const grammarFields: Readonly<Partial<Record<RemoteKind, (grammar: string) => object>>> = {
  vllm: (grammar) => ({ structured_outputs: { grammar } }),
  sglang: (ebnf) => ({ ebnf }),
  'llama-server': (grammar) => ({ grammar }),
};

function formatFields({ kind, remote }: OpenAiTarget, format: RemoteFormat): object {
  switch (format.type) {
    case 'json':
      return { response_format: { type: 'json_object' } };
    case 'schema': {
      const { schema } = format;
      return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } };
    }
    case 'gbnf': {
      const toFields = grammarFields[kind];
      if (toFields !== undefined) return toFields(format.grammar);
      throw new HearthError('unsupported', `the remote "${remote}" does not support grammars`);
    }
  }
}

/** Templates that can think have a variable for it. Levels are for models such as gpt-oss, and for OpenAI's own. */
function thinkFields(kind: RemoteKind, { think, thinkingBudget, templateVariables }: RemoteConversation): object {
  const budget = kind === 'vllm' && thinkingBudget !== undefined ? { thinking_token_budget: thinkingBudget } : {};
  const variables = kind === 'openai' ? undefined : templateVariables;
  if (think === undefined) return { ...budget, ...(variables ? { chat_template_kwargs: variables } : {}) };
  const level = thinkLevelOf(think);
  const effort = typeof think === 'string' ? { reasoning_effort: level === 'max' ? 'high' : level } : {};
  return kind === 'openai'
    ? effort
    : { ...effort, ...budget, chat_template_kwargs: { ...variables, enable_thinking: think !== false } };
}

function biasField({ logitBias = [] }: Pick<GenerateRequest, 'logitBias'>): object {
  return logitBias.length === 0 ? {} : { logit_bias: Object.fromEntries(logitBias) };
}

/** `given`: the options that the request or the model sets. */
export function toCompletionRequest(target: OpenAiTarget, request: GenerateRequest, given: OptionValues): WireRequest {
  const { kind, model, remote } = target;
  const { prompt, context, images = [], topLogprobs, grammar, lazyGrammar } = request;
  if (images.length > 0) throw new HearthError('unsupported', `the remote "${remote}" takes images only in a chat`);
  if (context.length > 0 && (kind === 'openai' || prompt !== ''))
    throw new HearthError('unsupported', `the remote "${remote}" does not support prompts of tokens with text`);
  // A call may not follow the schema without its grammar, and is found anyway.
  const ignored = lazyGrammar === undefined || grammar !== undefined ? [] : ['tool schemas'];
  const { numPredict, stop } = request.options;
  const { fields, ...rest } = translateOptions(kind, { ...given, numPredict, stop });
  const sent = context.length > 0 ? context : prompt;
  return {
    path: '/v1/completions',
    body: {
      model,
      prompt: sent,
      ...streamFields,
      ...noLimitField(target, sent),
      ...fields,
      ...(grammar === undefined ? {} : formatFields(target, { type: 'gbnf', grammar })),
      ...(topLogprobs === undefined ? {} : { logprobs: Math.max(topLogprobs, 1) }),
      ...biasField(request),
    },
    ignored: [...rest.ignored, ...ignored, ...ignoredPrediction(request)],
    ownStops: rest.ownStops,
  };
}

// In nearly all texts.
const minBytesPerToken = 2;
/** That a server may add to a text, such as the one that begins it. */
const addedTokens = 4;
/** The limit of a completion that has none, as OpenAI defined it. */
const usualLimit = 16;

/** For a completion that may be as long as the context allows. */
function noLimitField({ kind, contextLength }: OpenAiTarget, prompt: string | readonly number[]): object {
  // llama-server has no limit.
  if (kind === 'llama-server' || contextLength === undefined) return {};
  const length = typeof prompt === 'string' ? Math.ceil(Buffer.byteLength(prompt) / minBytesPerToken) : prompt.length;
  // A limit beyond the context is refused.
  return { max_tokens: Math.max(contextLength - length - addedTokens, usualLimit) };
}
