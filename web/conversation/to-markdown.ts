// A conversation as a Markdown text, for a file.

import { plural, t } from '../language/language.ts';
import type { ChatDocument, TreeMessage } from './chat-document.ts';
import { quoteFile } from './to-conversation-request.ts';

/** `path` is the branch that is shown. */
export function toMarkdown(
  { title, system }: Pick<ChatDocument, 'title' | 'system'>,
  path: readonly TreeMessage[],
): string {
  const parts = [`# ${title}`, system === '' ? '' : `> ${system.replaceAll('\n', '\n> ')}`, ...path.map(toSection)];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function toSection({ role, model, content, images = [], files = [], error = '' }: TreeMessage): string {
  const heading = `## ${role === 'user' ? t('You') : (model ?? t('Assistant'))}`;
  const pictures = images.length === 0 ? '' : `(${plural(images.length, '{count} image', '{count} images')})`;
  return [heading, pictures, ...files.map(quoteFile), content.trim(), error].filter((part) => part !== '').join('\n\n');
}

/** The name of a file for a title. */
export function fileNameOf(title: string, ending: string): string {
  const name = title
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${name === '' ? 'chat' : name}.${ending}`;
}
