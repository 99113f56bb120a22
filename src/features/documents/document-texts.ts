// Reads the texts of documents: chooses the type, runs processes for the formats that need a parser, and keeps texts for
// the next request of a conversation, which carries its documents again.

import { createHash } from 'node:crypto';
import { badRequest, HearthError } from '../../base/errors.ts';
import { createJobPool } from '../../base/jobs/job-pool.ts';
import type { Clock } from '../../base/time/clock.ts';
import type {
  DocumentCaller,
  DocumentReader,
  DocumentSource,
  DocumentText,
} from '../../server/services/documents/document-reader.ts';
import { decodeFile } from './decode-file.ts';
import { detectType } from './detect-type.ts';
import { documentLimits } from './document-limits.ts';
import type { ExtractMessage } from './extract/extract-messages.ts';
import { createExtractHost, type ExtractJob, type ExtractProgram } from './extract/extract-process.ts';

interface DocumentTextsOptions extends ExtractProgram {
  readonly clock: Clock;
  /** For one document. */
  readonly milliseconds?: number;
}

const poolLimits = {
  startMilliseconds: 10_000,
  maxHosts: 2,
  maxWaiting: 64,
  // A process reads one document only, so that there is none to wait for.
  patience: 0,
  slowAfter: 5000,
  probation: 60_000,
};
const maxKeptCharacters = 16 * 2 ** 20;
const maxNameLength = 100;

export class DocumentTexts implements DocumentReader {
  readonly #pool;
  /** By type and digest, least recently used first. */
  readonly #kept = new Map<string, DocumentText>();
  #keptCharacters = 0;

  constructor({ clock, milliseconds = documentLimits.milliseconds, ...program }: DocumentTextsOptions) {
    this.#pool = createJobPool<ExtractJob, ExtractMessage>({
      clock,
      limits: { ...poolLimits, milliseconds },
      startHost: () => createExtractHost(program),
      keyOf: ({ digest }) => digest,
      stopped: { refused: 'the server is shutting down' },
    });
  }

  async read(source: DocumentSource, caller: DocumentCaller): Promise<DocumentText> {
    try {
      return await this.#read(source, caller);
    } catch (error) {
      if (!(error instanceof HearthError) || error.code !== 'bad_request') throw error;
      const name = (source.name ?? '').slice(0, maxNameLength);
      throw badRequest(`the document${name === '' ? '' : ` ${JSON.stringify(name)}`} cannot be read: ${error.message}`);
    }
  }

  close(): void {
    this.#pool.stop();
  }

  async #read(source: DocumentSource, { client, signal }: DocumentCaller): Promise<DocumentText> {
    const { bytes } = source;
    if (bytes.length > documentLimits.fileBytes)
      throw badRequest(`it has more than ${documentLimits.fileBytes / 2 ** 20} MiB`);
    const type = detectType(source);
    if (type === 'text') return { type, pages: [checkLength(decodeFile(bytes))] };
    const digest = createHash('sha256').update(type).update(bytes).digest('hex');
    const kept = this.#kept.get(digest);
    const text = kept ?? {
      type,
      ...toPages(await this.#pool.run({ job: { type, bytes, digest }, group: client, signal })),
    };
    this.#keep(digest, text);
    return text;
  }

  #keep(digest: string, text: DocumentText): void {
    if (!this.#kept.delete(digest)) this.#keptCharacters += lengthOf(text);
    this.#kept.set(digest, text);
    for (const [oldest, { length }] of [...this.#kept].map(
      ([key, each]) => [key, { length: lengthOf(each) }] as const,
    )) {
      if (this.#keptCharacters <= maxKeptCharacters) break;
      this.#kept.delete(oldest);
      this.#keptCharacters -= length;
    }
  }
}

function toPages(message: ExtractMessage): Pick<DocumentText, 'pages'> {
  if ('refused' in message) throw badRequest(message.refused);
  return { pages: message.pages };
}

function checkLength(text: string): string {
  if (text.length > documentLimits.characters)
    throw badRequest(`its text has more than ${documentLimits.characters} characters`);
  return text;
}

function lengthOf({ pages }: DocumentText): number {
  return pages.reduce((sum, page) => sum + page.length, 0);
}
