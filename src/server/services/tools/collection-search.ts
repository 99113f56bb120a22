// Passages of collections for answers: as results of a tool that models call, or as part of the question. Passages have
// numbers, which answers cite.

import { messageOf } from '../../../base/errors.ts';
import type { ConversationMessage } from '../../../inference/model/conversation.ts';
import type { CitedPassage, FoundPassage, PassageQuery, PassageSearch } from '../documents/passage-search.ts';
import type { ToolServer } from './tool-server.ts';

export interface CollectionRequest extends Omit<PassageQuery, 'text'> {
  readonly collections: readonly string[];
  readonly keyId?: string | undefined;
  readonly client: string;
}

/** The server of the tool, in calls and lists. */
export const searchServer = 'hearth_collections';

const maxQueryLength = 4000;

/** The passages that an answer can cite. A passage that is found again keeps its number. */
export class CollectionSearch {
  readonly #passages: PassageSearch;
  readonly #request: CollectionRequest;
  readonly #found = new Map<string, CitedPassage>();

  constructor(passages: PassageSearch, request: CollectionRequest) {
    this.#passages = passages;
    this.#request = request;
  }

  async find(text: string, signal: AbortSignal): Promise<readonly CitedPassage[]> {
    const { collections, keyId, client, ...query } = this.#request;
    const caller = { keyId, client, signal };
    const found = await this.#passages.searchAll(caller, collections, {
      ...query,
      text: text.slice(0, maxQueryLength),
    });
    return found.map((passage) => this.#number(passage));
  }

  #number(passage: FoundPassage): CitedPassage {
    const key = `${passage.collection} ${passage.fileId} ${passage.page} ${passage.start}`;
    const known = this.#found.get(key);
    const cited = { ...passage, number: known?.number ?? this.#found.size + 1 };
    this.#found.set(key, cited);
    return cited;
  }
}

/** The search as a tool: the model writes the question. */
export function toSearchTool(search: CollectionSearch): ToolServer {
  return {
    name: searchServer,
    listTools: async () => [searchTool],
    async call(_tool, { query }, signal) {
      if (typeof query !== 'string' || query.trim() === '')
        return { text: 'Error: "query" must be a text', isError: true };
      try {
        const passages = await search.find(query, signal);
        return { text: `${writePassages(passages)}\n\n${instruction}`, isError: false, passages };
      } catch (error) {
        signal.throwIfAborted();
        return { text: `Error: ${messageOf(error)}`, isError: true };
      }
    },
  };
}

const searchTool = {
  name: 'file_search',
  description: "Searches the user's documents and returns numbered passages that fit a question.",
  parameters: {
    type: 'object',
    properties: { query: { type: 'string', description: 'What to search for: a question, or words.' } },
    required: ['query'],
  },
  isReadOnly: true,
};

const instruction =
  'Cite the passages that you use by their numbers in brackets, such as [1]. If no passage has the answer, say so.';

/** What is searched for: the last message of the user, with the one before it, because a question may go on. */
export function toQuestion(messages: readonly ConversationMessage[]): string {
  const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const [last = '', before = ''] = asked.reverse();
  return last.length < shortQuestion && before !== '' ? `${last}\n${before.slice(0, maxQueryLength / 2)}` : last;
}

const shortQuestion = 40;

/** The passages before the last message of the user, so that what precedes it stays as it is. */
export function addPassages(
  messages: readonly ConversationMessage[],
  passages: readonly CitedPassage[],
): ConversationMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const head = `Passages of the user's documents:\n\n${writePassages(passages)}\n\n${instruction}`;
  return messages.map((message, index) =>
    index === last ? { ...message, content: `${head}\n\n${message.content}` } : message,
  );
}

/** Numbers are left out where nothing is cited, such as in earlier turns. */
export function writePassages(
  passages: readonly (Pick<CitedPassage, 'fileName' | 'text' | 'page'> & { readonly number?: number })[],
): string {
  if (passages.length === 0) return 'No passage was found.';
  return passages
    .map(({ number, fileName, page, text }) => {
      const place = page === undefined ? fileName : `${fileName}, page ${page}`;
      return `${number === undefined ? '' : `[${number}] `}${place}:\n${text}`;
    })
    .join('\n\n');
}
