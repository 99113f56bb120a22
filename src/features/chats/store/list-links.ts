// What is shared: the links of all owners, for administrators, and the conversations in shared folders, for all users.

import { mapBounded } from '../../../models/store/files/map-bounded.ts';
import type { ChatLinks, LinkEntry, LinkTarget } from './chat-links.ts';
import type { ChatSummary } from './stored-chat.ts';

/** A link that readers can use, or could use if its author had access. */
export interface SharedLink extends Pick<LinkEntry, 'link' | 'author' | 'folder'> {
  readonly title: string;
  /** The time in milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly hasAccess: boolean;
}

interface LinkListOptions {
  readonly links: Pick<ChatLinks, 'list'>;
  readonly hasAccess: (owner: string) => boolean;
  /** Undefined if there is no such conversation, or if it is damaged. */
  readonly summaryOf: (target: LinkTarget) => Promise<ChatSummary | undefined>;
}

const maxOpenFiles = 16;

export function createLinkLists({ links, hasAccess, summaryOf }: LinkListOptions) {
  const describe = async (entry: LinkEntry): Promise<SharedLink | undefined> => {
    const { link, owner, author, folder } = entry;
    const summary = await summaryOf(entry);
    if (summary?.link !== link) return undefined;
    const { title, updatedAt } = summary;
    return { link, author, folder, title, updatedAt, hasAccess: hasAccess(owner) };
  };
  const describeAll = async (entries: readonly LinkEntry[]): Promise<SharedLink[]> =>
    (await mapBounded(entries, maxOpenFiles, describe)).filter((found) => found !== undefined);
  return {
    /** The links after one, as far as conversations name them, of at most `count` entries; of all owners. */
    async listLinks(
      after: string,
      count: number,
    ): Promise<{ readonly links: SharedLink[]; readonly next: string | undefined }> {
      const all = (await links.list()).filter(({ link }) => link > after);
      const part = all.slice(0, count);
      const last = all.length > part.length ? part.at(-1) : undefined;
      return { links: await describeAll(part), next: last?.link };
    },
    /** The conversations in shared folders whose authors have access; of all owners, at most `count`. */
    async listFolders(count: number): Promise<SharedLink[]> {
      const entries = (await links.list()).filter(({ owner, folder }) => folder !== undefined && hasAccess(owner));
      return describeAll(entries.slice(0, count));
    },
  };
}
