// GET /api/chats/export, POST /api/chats/import. There may be more conversations than fit into memory, so they are read
// and written one after another.

import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { HearthError } from '../../base/errors.ts';
import { JsonScanner } from '../../base/text/json-scanner.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import { createCheckBody, parseBody } from '../../server/http/body.ts';
import type { BodyShare } from '../../server/http/receiving/body-budget.ts';
import type { Route } from '../../server/http/route.ts';
import { fromImportedBody, toExportedBody } from './chat-bodies.ts';
import { chatOwner, chatsPath, chatsTag, maxChatValues } from './chats-routes.ts';
import { ChatsExportBody, ImportedChatBody, ImportResponseBody } from './chats-schema.ts';
import { createJsonElements } from './json-elements.ts';
import type { ChatStore } from './store/chat-store.ts';
import type { StoredChat } from './store/stored-chat.ts';

interface ChatsTransferOptions {
  readonly store: ChatStore;
  /** The limit for one conversation. */
  readonly maxBytes: number;
}

// Errors that a response lists.
const maxErrors = 100;
// A document with so many is not an export, and reading on would only take time.
const maxFailures = 1000;
// Bytes that an exported conversation has and its file does not.
const exportOverhead = 1024;

export function chatsTransferRoutes({ store, maxBytes }: ChatsTransferOptions): Route[] {
  const common = { dialect: ollamaDialect, scope: 'infer', tag: chatsTag } as const;
  const checkBody = createCheckBody();
  const importOne = async (request: FastifyRequest, text: Buffer | undefined): Promise<boolean> => {
    if (text === undefined)
      throw new HearthError(
        'body_too_large',
        `the conversation has more than the ${maxBytes} bytes of HEARTH_CHAT_SIZE`,
      );
    new JsonScanner({ maxValues: maxChatValues }).addBytes(text);
    const body = parseBody(text);
    await checkBody(ImportedChatBody, body);
    return store.add(chatOwner(request), fromImportedBody(body as unknown as ImportedChatBody), request.scope.signal);
  };
  return [
    {
      ...common,
      method: 'GET',
      path: `${chatsPath}/export`,
      summary: 'Get all stored conversations of the caller as one document',
      response: ChatsExportBody,
      handle: (request, reply) =>
        reply
          .type('application/json; charset=utf-8')
          .header('content-disposition', 'attachment; filename="hearth-chats.json"')
          .send(Readable.from(toJsonText(store.readAll(chatOwner(request))), { objectMode: false })),
    },
    {
      ...common,
      method: 'POST',
      path: `${chatsPath}/import`,
      summary: 'Store the conversations of an export; those that exist are not changed',
      readsBody: true,
      response: ImportResponseBody,
      handle: (request): Promise<ImportResponseBody> => {
        const { body, bodyShare: share } = request;
        const chunks = (body ?? []) as AsyncIterable<Uint8Array>;
        const texts = splitBody(chunks, { maxBytes: maxBytes + exportOverhead, share });
        return importAll(texts, (text) => importOne(request, text));
      },
    },
  ];
}

async function* toJsonText(chats: AsyncIterable<StoredChat>): AsyncGenerator<string> {
  yield '{"version":1,"chats":[';
  let separator = '\n';
  for await (const chat of chats) {
    yield `${separator}${JSON.stringify(toExportedBody(chat))}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}

interface SplitOptions {
  /** The limit for one conversation. */
  readonly maxBytes: number;
  readonly share: BodyShare | undefined;
}

/** The budget for bodies counts the largest conversation so far. */
async function* splitBody(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, share }: SplitOptions,
): AsyncGenerator<Buffer | undefined> {
  const elements = createJsonElements(maxBytes);
  let counted = 0;
  for await (const chunk of chunks) {
    const added = elements.bufferedBytes() + chunk.length - counted;
    if (added > 0) {
      share?.take(added);
      counted += added;
    }
    yield* elements.add(chunk);
  }
  elements.end();
}

/** One that fails does not stop the others. Throws `bad_request` if many fail. */
async function importAll(
  texts: AsyncIterable<Buffer | undefined>,
  importOne: (text: Buffer | undefined) => Promise<boolean>,
): Promise<ImportResponseBody> {
  const errors: { index: number; error: string; code: string }[] = [];
  const counts = { imported: 0, existing: 0, failed: 0 };
  let index = 0;
  for await (const text of texts) {
    try {
      counts[(await importOne(text)) ? 'imported' : 'existing']++;
    } catch (thrown) {
      if (!(thrown instanceof HearthError) || thrown.code === 'cancelled') throw thrown;
      counts.failed++;
      if (errors.length < maxErrors) errors.push({ index, error: thrown.message, code: thrown.code });
      if (counts.failed > maxFailures) throw tooManyFailures(counts, errors[0]?.error);
    }
    index++;
  }
  return { ...counts, errors };
}

function tooManyFailures({ imported }: { readonly imported: number }, first: string | undefined): HearthError {
  const message = `more than ${maxFailures} conversations cannot be imported, so the rest was not read`;
  return new HearthError('bad_request', `${message}; ${imported} were imported. The first error: ${first}`);
}
