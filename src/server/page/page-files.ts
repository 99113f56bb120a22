// The files of the web page, as scripts/bundle-page.mjs wrote them: each has its compressed forms next to it.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type PageEncoding = 'br' | 'gzip';

export interface PageFile {
  readonly name: string;
  /** The value of the Content-Type header. */
  readonly type: string;
  /** Changes with the content. */
  readonly hash: string;
  /** The name contains a hash, too: a browser never asks again. */
  readonly immutable: boolean;
  /** Shows what models have written. */
  readonly sandboxed?: boolean;
  /** In order of preference. */
  readonly encodings: readonly PageEncoding[];
}

const endings: Readonly<Record<PageEncoding, string>> = { br: '.br', gzip: '.gz' };

/** Files are read when they are first requested, and stay in memory: they are few and small. */
export function createPageFiles(folder: string) {
  let table: Promise<ReadonlyMap<string, PageFile>> | undefined;
  const contents = new Map<string, Promise<Buffer>>();
  return {
    /** undefined: the page has no file of this name. */
    async find(name: string): Promise<PageFile | undefined> {
      table ??= readTable(folder);
      return (await table).get(name);
    },
    read({ name }: PageFile, encoding: PageEncoding | undefined): Promise<Buffer> {
      const path = join(folder, name + (encoding === undefined ? '' : endings[encoding]));
      const content = contents.get(path) ?? readFile(path);
      contents.set(path, content);
      return content;
    },
  };
}

export type PageFiles = ReturnType<typeof createPageFiles>;

async function readTable(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const files = JSON.parse(await readFile(join(folder, 'files.json'), 'utf8')) as readonly PageFile[];
  return new Map(files.map((file) => [file.name, file]));
}
