// Responses that other servers can read and continue: finished ones, and those in the background without their events. The archive is bounded for each key like the store in memory:
// the oldest are removed first.

import type { SharedState, SharedTexts } from '../../../../../base/state/shared-state.ts';
import type { Clock } from '../../../../../base/time/clock.ts';
import type { InputItem } from '../request/input-items.ts';
import type { ResponseEvent } from '../response/events-schema.ts';
import type { ResponseBody } from '../response/response-schema.ts';

interface ArchivedResponse {
  readonly initial: ResponseBody;
  readonly input: readonly InputItem[];
  readonly events: readonly ResponseEvent[];
}

interface ArchiveOptions {
  readonly state: Pick<SharedState, 'textsOf'>;
  readonly clock: Pick<Clock, 'now'>;
  /** For each key. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** Some responses have no key. */
const kind = 'response';

export class ResponseArchive {
  readonly #options: ArchiveOptions;

  constructor(options: ArchiveOptions) {
    this.#options = options;
  }

  /**
   * Resolves when other servers find the response. One that is too large is left out, and so is one that is not there any
   * more if it `replaces` an earlier state.
   */
  async put(
    owner: string,
    response: ArchivedResponse,
    { replaces = false }: { readonly replaces?: boolean } = {},
  ): Promise<void> {
    const { clock, maxBytes, maxAgeMs } = this.#options;
    const text = JSON.stringify(response);
    const bytes = Buffer.byteLength(text);
    await this.#textsOf(owner).lock(async (texts) => {
      const { id } = response.initial;
      if (replaces && !(await texts.remove(id))) return;
      if (bytes > maxBytes) return;
      await makeRoom(texts, { maxBytes: maxBytes - bytes, oldest: clock.now() - maxAgeMs });
      await texts.write(id, String(clock.now()), text);
    });
  }

  async find(owner: string, id: string): Promise<ArchivedResponse | undefined> {
    const { clock, maxAgeMs } = this.#options;
    const texts = this.#textsOf(owner);
    const storedAt = Number((await texts.readHead(id)) ?? Number.NEGATIVE_INFINITY);
    if (storedAt < clock.now() - maxAgeMs) return undefined;
    const text = await texts.read(id);
    return text === undefined ? undefined : (JSON.parse(text) as ArchivedResponse);
  }

  async has(owner: string, id: string): Promise<boolean> {
    return (await this.#textsOf(owner).readHead(id)) !== undefined;
  }

  async remove(owner: string, id: string): Promise<void> {
    await this.#textsOf(owner).remove(id);
  }

  #textsOf(owner: string): SharedTexts {
    return this.#options.state.textsOf(kind, owner);
  }
}

/** The head of a text is the time at which it was stored. */
async function makeRoom(
  texts: SharedTexts,
  { maxBytes, oldest }: { readonly maxBytes: number; readonly oldest: number },
): Promise<void> {
  const entries = [...(await texts.list())].sort((a, b) => Number(a.head) - Number(b.head));
  let total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { id, head, bytes } of entries) {
    if (total <= maxBytes && Number(head) >= oldest) return;
    await texts.remove(id);
    total -= bytes;
  }
}
