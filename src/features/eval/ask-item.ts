// Asks a model for the answer to one item.

import type { HearthClient } from '../../client/client.ts';
import { ClientError } from '../../client/client-error.ts';
import type { ChatResponseBody, ChatResponseToolCall } from '../../server/dialects/ollama/generation/chat-schema.ts';
import { passesCheck } from './check-answer.ts';
import type { AnswerItem, ChoiceItem, EvalItem } from './item.ts';

export interface ItemResult {
  readonly correct: boolean;
  /** What the model has answered, as text. */
  readonly answer: string;
  /** Tokens that were evaluated or generated. */
  readonly tokens: number;
  /** The time of the request, without the load of the model. */
  readonly nanoseconds: number;
}

export interface AskedModel {
  readonly client: Pick<HearthClient, 'chat' | 'score'>;
  readonly model: string;
  /** Whether the model can think. It is asked not to. */
  readonly thinks: boolean;
}

export async function askItem(asked: AskedModel, item: EvalItem, signal: AbortSignal): Promise<ItemResult> {
  try {
    return await ('choices' in item ? askChoice(asked, item, signal) : askAnswer(asked, item, signal));
  } catch (error) {
    if (!isRefusal(error, item)) throw error;
    return { correct: false, answer: error.message, tokens: 0, nanoseconds: 0 };
  }
}

/** The model cannot answer this item: the prompt is too long, or the model has no tools. */
function isRefusal(error: unknown, item: EvalItem): error is ClientError {
  if (!(error instanceof ClientError)) return false;
  return error.code === 'prompt_too_long' || (error.code === 'unsupported' && 'check' in item);
}

async function askChoice({ client, model }: AskedModel, item: ChoiceItem, signal: AbortSignal): Promise<ItemResult> {
  const { prompt, choices, answer } = item;
  const gap = /\s$/.test(prompt) ? '' : ' ';
  const continuations = choices.map((choice) => gap + choice);
  const response = await client.score({ model, context: prompt, continuations }, signal);
  const likelihoods = response.scores.map(({ log_likelihood: likelihood }) => likelihood);
  const best = Math.max(...likelihoods);
  return {
    // Several equal ones: the model does not know.
    correct: likelihoods[answer] === best && likelihoods.filter((likelihood) => likelihood === best).length === 1,
    answer: choices[likelihoods.indexOf(best)] ?? '',
    tokens: response.prompt_eval_count - response.prompt_eval_cached_count,
    nanoseconds: response.total_duration - response.load_duration,
  };
}

/** The likeliest answer; a seed would change nothing. */
const options = { temperature: 0 } as const;

async function askAnswer(asked: AskedModel, item: AnswerItem, signal: AbortSignal): Promise<ItemResult> {
  const { client, model, thinks } = asked;
  const { prompt, check, tools, maxTokens } = item;
  const request = {
    model,
    messages: [{ role: 'user', content: prompt }],
    tools: tools === undefined ? undefined : [...tools],
    options: { ...options, num_predict: maxTokens },
    ...(thinks ? { think: false } : {}),
  };
  let text = '';
  const calls: ChatResponseToolCall[] = [];
  let last: ChatResponseBody | undefined;
  for await (const part of client.chat(request, signal)) {
    text += part.message?.content ?? '';
    calls.push(...(part.message?.tool_calls ?? []));
    last = part;
  }
  const evaluated = (last?.prompt_eval_count ?? 0) - (last?.prompt_eval_cached_count ?? 0);
  return {
    correct: passesCheck(check, { text, calls }),
    answer: calls.length === 0 ? text : JSON.stringify(calls.map((call) => call.function)),
    tokens: evaluated + (last?.eval_count ?? 0),
    nanoseconds: (last?.total_duration ?? 0) - (last?.load_duration ?? 0),
  };
}
