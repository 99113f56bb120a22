// A model whose prompts a remote renders: request → read → split. A prompt that needs no template goes there as it is.

import { HearthError } from '../../base/errors.ts';
import { openLater, pipe } from '../../base/pipe.ts';
import { combineParsers } from '../../formats/chat/parsers/combine-parsers.ts';
import { createThinkingParser } from '../../formats/chat/thinking/thinking-parser.ts';
import { offeredTools } from '../local/constrain/hold-calls.ts';
import type { PromptModel, PromptServices } from '../local/prompt-model.ts';
import { splitAnswer } from '../local/split-answer.ts';
import type { AnswerEvent } from '../model/answer-event.ts';
import type { AnswerFormat } from '../model/answer-format.ts';
import type { Completion, Conversation } from '../model/conversation.ts';
import type { Gap, Model, OpenRequest, TokenizeOptions } from '../model/model.ts';
import { readMessages, withModelMessages } from '../model/read-messages.ts';
import type { EmbedRequest, RankRequest } from '../model/vectors.ts';
import type { RemoteLease } from './remote-lease.ts';
import type { RemoteConversation } from './wire/remote-conversation.ts';

export class RemoteModel implements Model {
  readonly name: string;
  readonly rankScores: Model['rankScores'];
  readonly #services: PromptServices;
  readonly #request: OpenRequest;
  readonly #prompts: PromptModel<RemoteLease>;

  /** `prompts`: the same model for requests without a template. */
  constructor(services: PromptServices, request: OpenRequest, prompts: PromptModel<RemoteLease>) {
    this.name = prompts.name;
    this.rankScores = prompts.rankScores;
    this.#services = services;
    this.#request = request;
    this.#prompts = prompts;
  }

  load(signal: AbortSignal, task?: 'generate' | 'chat'): Promise<void> {
    return this.#prompts.load(signal, task);
  }

  answer(conversation: Conversation, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    this.#prompts.checkGenerates('chat');
    return this.#converse(conversation, this.#services.newCallId, signal);
  }

  complete(completion: Completion, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    const { raw, promptTokens, suffix, context } = completion;
    const hasTemplate = (this.#request.template ?? '') !== '';
    if (raw || promptTokens !== undefined || hasTemplate) return this.#prompts.complete(completion, signal);
    this.#prompts.checkGenerates('generate');
    // These are parts of a prompt, which a remote model does not get.
    const part = suffix === '' ? 'context' : 'insert';
    if (suffix !== '' || context.length > 0)
      throw new HearthError('unsupported', `${this.name} runs on a remote, which does not support ${part}`);
    return this.#converse(toConversation(completion), undefined, signal);
  }

  async renderAnswer(): Promise<never> {
    throw new HearthError('unsupported', `${this.name} runs on a remote, which renders the prompts itself`);
  }

  renderCompletion(): Promise<never> {
    return this.renderAnswer();
  }

  embed(request: EmbedRequest, signal: AbortSignal) {
    return this.#prompts.embed(request, signal);
  }

  rank(request: RankRequest, signal: AbortSignal) {
    return this.#prompts.rank(request, signal);
  }

  async countPrompt(): Promise<never> {
    const message = `${this.name} runs on a remote, which does not count the tokens of conversations`;
    throw new HearthError('unsupported', message);
  }

  tokenize(text: string, options: TokenizeOptions, signal: AbortSignal) {
    return this.#prompts.tokenize(text, options, signal);
  }

  piecesOf(tokens: readonly number[], signal: AbortSignal) {
    return this.#prompts.piecesOf(tokens, signal);
  }

  tokenizeGap(gap: Gap, signal: AbortSignal) {
    return this.#prompts.tokenizeGap(gap, signal);
  }

  detokenize(tokens: readonly number[], signal: AbortSignal) {
    return this.#prompts.detokenize(tokens, signal);
  }

  release(): void {
    this.#prompts.release();
  }

  #converse(
    conversation: Conversation,
    newCallId: (() => string) | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<AnswerEvent> {
    const { toolChoice = 'auto', parallelCalls = true } = conversation;
    return openLater(async () => {
      const { grammars, media } = this.#services;
      const tools = offeredTools(conversation.tools, toolChoice);
      // The remote applies the format. This refuses what is not one.
      const constraint = await grammars.ofFormat(conversation.format);
      const read = await readMessages(conversation.messages, { ...media, decodeAudio: refuseAudio });
      const lease = await this.#prompts.lease(signal);
      const messages = withModelMessages(read, this.#request.model);
      const options = this.#prompts.given();
      const logitBias = conversation.logitBias?.length === 0 ? undefined : conversation.logitBias;
      const { think, thinkingBudget, topLogprobs, promptLogprobs, promptOnly, templateVariables, prediction } =
        conversation;
      const format = toRemoteFormat(conversation.format, constraint?.grammar);
      const scores = { topLogprobs, promptLogprobs, promptOnly };
      const asked = { format, think, thinkingBudget, ...scores, logitBias, templateVariables, prediction };
      const request = { messages, tools, toolChoice, parallelCalls, options, ...asked };
      // A remote does not shorten conversations.
      const ignored = conversation.tokenIds ? ['return_token_ids'] : [];
      const notes = { prompt: textOf(request), droppedMessages: 0, ignored };
      const events = this.#prompts.describe(lease.converse(request, signal), notes);
      // Servers without a parser for the thinking of their model send it as content, and not all limit calls to one.
      const parser = combineParsers(createThinkingParser({ open: '<think>', close: '</think>' }, false));
      return pipe(events, splitAnswer({ parser, newCallId, singleCall: !parallelCalls }));
    });
  }
}

async function refuseAudio(): Promise<never> {
  throw new HearthError('unsupported', 'audio is not passed on to models of other servers');
}

/** Remotes have no names in common for other formats, but most have grammars. */
function toRemoteFormat(format: AnswerFormat | undefined, grammar = ''): RemoteConversation['format'] {
  return format?.type === 'pattern' || format?.type === 'choice' || format?.type === 'structure'
    ? { type: 'gbnf', grammar }
    : format;
}

function toConversation({ system, prompt, encodedImages, ...options }: Completion): Conversation {
  return {
    ...options,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system, encodedImages: [] }]),
      ...(prompt === '' ? [] : [{ role: 'user', content: prompt, encodedImages }]),
    ],
    tools: [],
    toolChoice: 'none',
    parallelCalls: false,
  };
}

/** For the log of requests. */
function textOf({ messages }: RemoteConversation): string {
  return messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
}
