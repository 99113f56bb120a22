// The fenced blocks of a Markdown page.

import { readFileSync } from 'node:fs';
import { repository } from '../support/repository.ts';

export interface Block {
  readonly page: string;
  /** The heading above the block. */
  readonly heading: string;
  readonly language: string;
  readonly text: string;
}

/** The text with the address of a test server. */
export function withAddress(text: string, url: string): string {
  return text.replaceAll('http://127.0.0.1:11434', url);
}

export function readBlocks(page: string): Block[] {
  const text = readFileSync(repository(page), 'utf8');
  let heading = '';
  return Array.from(text.matchAll(/^#+ (.*)$|^```(\w*)\n([\s\S]*?)^```$/gm), ([, title, language = '', block = '']) => {
    if (title !== undefined) heading = title;
    return { page, heading, language, text: title === undefined ? block : '' };
  }).filter((block) => block.text !== '');
}
