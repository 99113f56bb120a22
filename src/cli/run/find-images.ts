// Pictures that are named in a prompt: typed, quoted, escaped as shells do it, or dragged in from a file manager.
//
//   picture = quoted | bare | url
//   quoted  = ( '"' path '"' ) | ( "'" path "'" )
//   bare    = { "\" any | not-blank }       at the start or after a blank; "~/" is the home folder
//   url     = "file://" …
//   path ends with .png, .jpg, .jpeg or .webp

import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface NamedImage {
  readonly start: number;
  readonly end: number;
  /** As it stands in the prompt, without quotes. */
  readonly written: string;
  readonly path: string;
  /** Nothing but a path looks like this: with a folder, or in quotes. */
  readonly isCertain: boolean;
}

const ending = '\\.(?:png|jpe?g|webp)';

/** `character` is one of a path without quotes; it is told where a path cannot begin. */
function pattern(character: string): RegExp {
  const quoted = `(["'])((?:(?!\\1)[^\\n])+?${ending})\\1`;
  const bare = `(?<![^\\s(])((?!\\()(?:${character})+${ending})(?![\\w/\\\\]|\\.\\w)`;
  return new RegExp(`${quoted}|${bare}`, 'gi');
}

const named = pattern(`\\\\.|[^\\s\\\\"']`);
// There the backslash stands between folders.
const namedOnWindows = pattern(`[^\\s"']`);

export function findImages(prompt: string, isWindows = process.platform === 'win32'): NamedImage[] {
  return Array.from(prompt.matchAll(isWindows ? namedOnWindows : named), (match) => {
    const [whole, , quoted, bare = ''] = match;
    const written = quoted ?? bare;
    const path = quoted ?? (isWindows ? bare : bare.replace(/\\(.)/g, '$1'));
    return {
      start: match.index,
      end: match.index + whole.length,
      written,
      path: toPath(path),
      isCertain: quoted !== undefined || /[/\\]/.test(bare),
    };
  });
}

function toPath(text: string): string {
  if (text.startsWith('file://')) {
    try {
      return fileURLToPath(text);
    } catch {
      return text;
    }
  }
  return resolve(text.replace(/^~(?=[/\\])/, homedir()));
}

/** The prompt without some of what it names, and without the gaps. */
export function cutOut(prompt: string, images: readonly NamedImage[]): string {
  let text = '';
  let from = 0;
  for (const { start, end } of images) {
    text += prompt.slice(from, start);
    // One of two blanks goes along.
    from = /\s$|^$/.test(text) && prompt[end] === ' ' ? end + 1 : end;
  }
  return (text + prompt.slice(from)).trim();
}
