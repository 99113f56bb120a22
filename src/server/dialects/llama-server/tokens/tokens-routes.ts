// POST /tokenize in the forms of llama-server and of vLLM, POST /detokenize, and POST /apply-template.

import type { FastifyRequest } from 'fastify';
import type { Route } from '../../../http/route.ts';
import type { ChatInput } from '../../../services/generation/measure-answer.ts';
import type { RenderPrompt } from '../../../services/generation/render-prompt.ts';
import type { Detokenize, ReadPieces, Tokenize } from '../../../services/generation/tokens.ts';
import type { ChooseModel } from '../../../services/management/choose-model.ts';
import { toOpenAiChatInput } from '../../openai/chat/chat-input.ts';
import { toModelInput } from '../../shared/model-input.ts';
import { invalid } from '../../shared/read-fields.ts';
import { llamaServerDialect } from '../dialect.ts';
import type { FindProperties } from '../status/find-properties.ts';
import {
  ApplyTemplateRequestBody,
  ApplyTemplateResponseBody,
  type PieceBody,
  PlainDetokenizeRequestBody,
  PlainDetokenizeResponseBody,
  PlainTokenizeRequestBody,
  PlainTokenizeResponseBody,
} from './tokens-schema.ts';

export interface TokensRouteOptions {
  readonly tokenize: Tokenize;
  readonly detokenize: Detokenize;
  readonly readPieces: ReadPieces;
  readonly renderPrompt: RenderPrompt;
  readonly chooseModel: ChooseModel;
  readonly findProperties: FindProperties;
}

const common = { dialect: llamaServerDialect, method: 'POST', scope: 'infer' } as const;

export function plainTokenizeRoute(services: TokensRouteOptions): Route {
  return {
    ...common,
    path: '/tokenize',
    summary: 'Convert text to tokens',
    body: PlainTokenizeRequestBody,
    response: PlainTokenizeResponseBody,
    async handle(request): Promise<PlainTokenizeResponseBody> {
      const body = request.body as PlainTokenizeRequestBody;
      const model = await services.chooseModel(body.model);
      return body.prompt === undefined && body.messages === undefined
        ? tokenizeContent(services, request, { ...body, model })
        : tokenizePrompt(services, request, { ...body, model });
    },
  };
}

type NamedBody = PlainTokenizeRequestBody & { readonly model: string };

async function tokenizeContent(
  { tokenize, readPieces }: TokensRouteOptions,
  { report, scope: { signal } }: FastifyRequest,
  { model, content = '', add_special: addSpecial = false, parse_special, with_pieces }: NamedBody,
): Promise<PlainTokenizeResponseBody> {
  const input = { ...toModelInput({ model }), report };
  const tokens = await tokenize({ ...input, text: content, addSpecial, plain: parse_special === false }, signal);
  if (with_pieces !== true) return { tokens };
  const pieces = await readPieces({ ...input, tokens }, signal);
  return { tokens: tokens.map((id, index) => ({ id, piece: toPiece(pieces[index] ?? []) })) };
}

/** In the form of vLLM. */
async function tokenizePrompt(
  { tokenize, readPieces, renderPrompt, findProperties }: TokensRouteOptions,
  { report, scope: { signal } }: FastifyRequest,
  body: NamedBody,
): Promise<PlainTokenizeResponseBody> {
  const { model, prompt, add_special_tokens } = body;
  const input = { ...toModelInput({ model }), report };
  // A template writes the tokens that begin a text, so they are not added to a conversation.
  const text = prompt ?? (await renderPrompt.ofChat({ ...toConversation(body), report }, signal)).prompt;
  const addSpecial = add_special_tokens ?? prompt !== undefined;
  const tokens = await tokenize({ ...input, text, addSpecial }, signal);
  const pieces = body.return_token_strs === true ? await readPieces({ ...input, tokens }, signal) : undefined;
  const { contextLength } = await findProperties(model);
  return {
    count: tokens.length,
    max_model_len: contextLength,
    tokens,
    token_strs: pieces?.map((piece) => Buffer.from(piece).toString('utf8')),
  };
}

/** A part of a character has no text. */
function toPiece(bytes: readonly number[]): PieceBody['piece'] {
  const buffer = Buffer.from(bytes);
  const text = buffer.toString('utf8');
  return Buffer.from(text, 'utf8').equals(buffer) ? text : bytes;
}

export function plainDetokenizeRoute({ detokenize, chooseModel }: TokensRouteOptions): Route {
  return {
    ...common,
    path: '/detokenize',
    summary: 'Convert tokens to text',
    body: PlainDetokenizeRequestBody,
    response: PlainDetokenizeResponseBody,
    async handle({ body, report, scope }): Promise<PlainDetokenizeResponseBody> {
      const { model, tokens = [] } = body as PlainDetokenizeRequestBody;
      const input = { ...toModelInput({ model: await chooseModel(model) }), tokens, report };
      const text = await detokenize(input, scope.signal);
      return { content: text, prompt: text };
    },
  };
}

export function applyTemplateRoute({ renderPrompt, chooseModel }: TokensRouteOptions): Route {
  return {
    ...common,
    path: '/apply-template',
    summary: 'Write a conversation as a prompt',
    body: ApplyTemplateRequestBody,
    response: ApplyTemplateResponseBody,
    async handle(request): Promise<ApplyTemplateResponseBody> {
      const body = request.body as ApplyTemplateRequestBody;
      const input = toConversation({ ...body, model: await chooseModel(body.model) });
      const { prompt } = await renderPrompt.ofChat({ ...input, report: request.report }, request.scope.signal);
      return { prompt };
    },
  };
}

function toConversation(body: ApplyTemplateRequestBody): ChatInput {
  if (body.add_generation_prompt === false)
    throw invalid('add_generation_prompt', 'a prompt without the beginning of the answer is not supported');
  return toOpenAiChatInput(body);
}
