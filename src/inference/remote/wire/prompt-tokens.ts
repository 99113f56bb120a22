// Requests to vLLM and to other Hearths for the tokens of a prompt as it will evaluate it, before it gets the request itself.

import type { GenerateRequest } from '../../engine/ports.ts';
import { toObject } from '../json/json-fields.ts';
import type { SentRequest, Target } from '../remote-target.ts';
import { toChatRequest } from './openai-request.ts';
import type { RemoteConversation } from './remote-conversation.ts';
import { toTokenizeRequest } from './tokens.ts';

/** Undefined for images, whose blocks depend on more than tokens, and for other engines. */
export function toChatTokens({ endpoint, facts, model }: Target, request: RemoteConversation): SentRequest | undefined {
  const hasImages = request.messages.some(({ images = [] }) => images.length > 0);
  const kind = kindOfQuestion(facts);
  if (hasImages || kind === undefined) return undefined;
  const { body } = toChatRequest({ remote: endpoint.remote, kind, model }, request);
  const { messages, tools, chat_template_kwargs } = toObject(body);
  const { path, answerLimits } = toTokenizeRequest({ endpoint, facts: { ...facts, kind }, model }, noText);
  return { path, answerLimits, body: { model, messages, tools, chat_template_kwargs, add_generation_prompt: true } };
}

/** A Hearth, whose kind is that of Ollama, answers the question of vLLM too. */
function kindOfQuestion({ kind, features, hearth }: Target['facts']): 'vllm' | undefined {
  const isAsked = kind === 'vllm' ? features.has('tokenize') : kind === 'ollama' && hearth !== undefined;
  return isAsked ? 'vllm' : undefined;
}

const noText = { text: '', addSpecial: true, plain: false };

export function toPromptTokens(
  target: Target,
  { prompt, context, images = [] }: Pick<GenerateRequest, 'prompt' | 'context' | 'images'>,
): SentRequest | readonly number[] | undefined {
  const { facts } = target;
  if (images.length > 0 || facts.kind !== 'vllm' || !facts.features.has('tokenize')) return undefined;
  return context.length > 0 ? context : toTokenizeRequest(target, { text: prompt, addSpecial: true, plain: false });
}
