// The tools that Hearth offers to MCP clients. Each sends a request to a route of this server, on behalf of the caller:
// keys, quotas, limits and usage are those of that route.

import { type TObject, Type } from 'typebox';
import { badRequest, HearthError } from '../../base/errors.ts';
import type { ChatResponseBody } from '../../server/dialects/ollama/generation/chat-schema.ts';
import type { EmbedResponseBody } from '../../server/dialects/ollama/generation/embed-schema.ts';
import type { TagsResponseBody } from '../../server/dialects/ollama/models/tags-schema.ts';
import type { CollectionsResponseBody, SearchCollectionResponseBody } from '../documents/documents-schema.ts';

/** Sends a request, and calls `onObject` with each object of the response. Rejects if the response is an error. */
export type SendRequest = (path: string, body: object | undefined, onObject: (object: object) => void) => Promise<void>;

interface ToolCall {
  readonly send: SendRequest;
  /** Says how many tokens the answer has, and its text since the last call. */
  readonly onProgress: (progress: ChatProgress) => void;
}

export interface ChatProgress {
  readonly tokens: number;
  readonly maxTokens?: number;
  readonly text: string;
}

interface HearthToolResult {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

export interface HearthTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: TObject;
  readonly output: TObject;
  /** `input` accepts the arguments. */
  call(given: object, call: ToolCall): Promise<HearthToolResult>;
}

const model = Type.String({ description: 'Name of a model, as list_models has it.' });
const options = Type.Optional(
  Type.Object({}, { description: 'Options of the model, such as temperature, num_predict, seed or num_ctx.' }),
);
const closed = { additionalProperties: false };

const ChatMessage = Type.Object({
  role: Type.String({ enum: ['system', 'user', 'assistant'] }),
  content: Type.String(),
  images: Type.Optional(Type.Array(Type.String(), { description: 'Images in base64.' })),
});

const chat: HearthTool = {
  name: 'chat',
  title: 'Ask a model',
  description: 'Asks a model of this server, and returns its answer. Give either a prompt or messages.',
  input: Type.Object(
    {
      model,
      prompt: Type.Optional(Type.String({ description: 'A question without a conversation.' })),
      system: Type.Optional(Type.String({ description: 'Instructions for the model, before the prompt.' })),
      messages: Type.Optional(Type.Array(ChatMessage, { description: 'A conversation, oldest message first.' })),
      options,
      think: Type.Optional(Type.Boolean({ description: 'Whether a model that can think does.' })),
      format: Type.Optional(Type.Object({}, { description: 'JSON schema of the answer.' })),
    },
    closed,
  ),
  output: Type.Object({
    model: Type.String(),
    content: Type.String(),
    thinking: Type.Optional(Type.String()),
    done_reason: Type.Optional(Type.String()),
    prompt_tokens: Type.Integer(),
    answer_tokens: Type.Integer(),
  }),
  async call(given, { send, onProgress }) {
    const { prompt, system, messages, ...body } = given as ChatArguments;
    const answer = new Answer(body.options?.['num_predict'], onProgress);
    const asked = toMessages({ prompt, system, messages });
    await send('/api/chat', { ...body, messages: asked, stream: true }, (part) => answer.add(part as ChatResponseBody));
    return answer.toResult();
  },
};

interface ChatArguments {
  readonly model: string;
  readonly prompt?: string;
  readonly system?: string;
  readonly messages?: readonly object[];
  readonly options?: Readonly<Record<string, unknown>>;
}

function toMessages({ prompt, system, messages }: Partial<ChatArguments>): readonly object[] {
  if ((prompt === undefined) === (messages === undefined)) throw badRequest('give either prompt or messages');
  const before = system === undefined ? [] : [{ role: 'system', content: system }];
  return [...before, ...(messages ?? [{ role: 'user', content: prompt }])];
}

/** Collects an answer from the objects of a stream. */
class Answer {
  readonly #maxTokens: number | undefined;
  readonly #onProgress: (progress: ChatProgress) => void;
  #content = '';
  #thinking = '';
  #parts = 0;
  #last: ChatResponseBody | undefined;

  constructor(numPredict: unknown, onProgress: (progress: ChatProgress) => void) {
    this.#maxTokens = typeof numPredict === 'number' && numPredict > 0 ? numPredict : undefined;
    this.#onProgress = onProgress;
  }

  add(part: ChatResponseBody): void {
    const { content = '', thinking = '' } = part.message ?? {};
    this.#content += content;
    this.#thinking += thinking;
    this.#last = part;
    const text = content || thinking;
    if (text === '') return;
    this.#parts += 1;
    this.#onProgress({ tokens: this.#parts, maxTokens: this.#maxTokens, text });
  }

  toResult(): HearthToolResult {
    if (this.#last === undefined) throw new HearthError('internal', 'the answer is empty');
    const { model: name, done_reason, prompt_eval_count = 0, eval_count = 0 } = this.#last;
    const structured = {
      model: name,
      content: this.#content,
      ...(this.#thinking === '' ? {} : { thinking: this.#thinking }),
      ...(done_reason === undefined ? {} : { done_reason }),
      prompt_tokens: prompt_eval_count,
      answer_tokens: eval_count,
    };
    return { text: this.#content, structured };
  }
}

const embed: HearthTool = {
  name: 'embed',
  title: 'Compute embeddings',
  description: 'Computes the embeddings of one text or several with an embedding model.',
  input: Type.Object(
    {
      model,
      input: Type.Array(Type.String(), { description: 'Texts.', minItems: 1, maxItems: 128 }),
      dimensions: Type.Optional(Type.Integer({ description: 'Shortens each vector to this length.', minimum: 1 })),
      options,
    },
    closed,
  ),
  output: Type.Object({
    model: Type.String(),
    embeddings: Type.Array(Type.Array(Type.Number())),
    prompt_tokens: Type.Integer(),
  }),
  async call(given, { send }) {
    const body = await sendOne<EmbedResponseBody>(send, '/api/embed', given);
    return asJson({ model: body.model, embeddings: body.embeddings, prompt_tokens: body.prompt_eval_count });
  },
};

const listModels: HearthTool = {
  name: 'list_models',
  title: 'List models',
  description: 'Lists the models of this server that the caller may use, and what each can do.',
  input: Type.Object({}, closed),
  output: Type.Object({
    models: Type.Array(
      Type.Object({
        name: Type.String(),
        size: Type.Integer({ description: 'Bytes.' }),
        parameters: Type.Optional(Type.String()),
        quantization: Type.Optional(Type.String()),
        capabilities: Type.Optional(Type.Array(Type.String())),
      }),
    ),
  }),
  async call(_given, { send }) {
    const { models } = await sendOne<TagsResponseBody>(send, '/api/tags', undefined);
    return asJson({
      models: models.map(({ name, size, details, capabilities }) => ({
        name,
        size,
        parameters: details?.parameter_size || undefined,
        quantization: details?.quantization_level || undefined,
        capabilities,
      })),
    });
  },
};

const listCollections: HearthTool = {
  name: 'list_collections',
  title: 'List collections',
  description: 'Lists the collections of documents of the caller, which search_collection searches.',
  input: Type.Object({}, closed),
  output: Type.Object({
    collections: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), files: Type.Integer() })),
  }),
  async call(_given, { send }) {
    const { collections } = await sendOne<CollectionsResponseBody>(send, '/api/collections', undefined);
    return asJson({ collections: collections.map(({ id, name, files }) => ({ id, name, files })) });
  },
};

const searchCollection: HearthTool = {
  name: 'search_collection',
  title: 'Search a collection',
  description: 'Finds the passages of a collection of documents that fit a question, by words and by meaning.',
  input: Type.Object(
    {
      collection: Type.String({ description: 'Id of a collection, as list_collections has it.' }),
      query: Type.String({ description: 'A question, or words.', minLength: 1, maxLength: 4000 }),
      limit: Type.Optional(Type.Integer({ description: 'How many passages. Default: 8.', minimum: 1, maximum: 50 })),
    },
    closed,
  ),
  output: Type.Object({
    passages: Type.Array(
      Type.Object({
        text: Type.String(),
        file: Type.String(),
        page: Type.Optional(Type.Integer({ description: 'The page of a PDF.' })),
        score: Type.Number({ description: 'From 0 to 1.' }),
      }),
    ),
  }),
  async call(given, { send }) {
    const { collection, ...body } = given as { readonly collection: string };
    const path = `/api/collections/${encodeURIComponent(collection)}/search`;
    const { results } = await sendOne<SearchCollectionResponseBody>(send, path, body);
    return asJson({
      passages: results.map(({ text, file_name: file, page, score }) => ({ text, file, page, score })),
    });
  },
};

async function sendOne<Body extends object>(send: SendRequest, path: string, body: object | undefined): Promise<Body> {
  let received: object | undefined;
  await send(path, body, (object) => {
    received = object;
  });
  return received as Body;
}

/** Clients that do not know structured results read the text. */
function asJson(structured: Readonly<Record<string, unknown>>): HearthToolResult {
  return { text: JSON.stringify(structured), structured };
}

export const hearthTools: readonly HearthTool[] = [chat, embed, listModels, listCollections, searchCollection];
