// Finds image files named in a prompt: typed, quoted, escaped as in a shell, or dropped from a file manager.
//
//   image   = quoted | bare | url
//   quoted  = ( '"' path '"' ) | ( "'" path "'" )
//   bare    = { "\" any | not-blank }       at the start or after whitespace; "~/" is the home folder
//   url     = "file://" …
//   path ends with .png, .jpg, .jpeg, .webp, .gif or .bmp

import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface NamedImage {
  readonly start: number;
  readonly end: number;
  /** The text in the prompt, without quotes. */
  readonly written: string;
  readonly path: string;
  /** The text has a folder or quotes, so that it can only be a path. */
  readonly isCertain: boolean;
}

const extension = '\\.(?:png|jpe?g|webp|gif|bmp)';

/** `character` matches one character of a path without quotes. */
function pattern(character: string): RegExp {
  const quoted = `(["'])((?:(?!\\1)[^\\n])+?${extension})\\1`;
  const bare = `(?<![^\\s(])((?!\\()(?:${character})+${extension})(?![\\w/\\\\]|\\.\\w)`;
  return new RegExp(`${quoted}|${bare}`, 'gi');
}

const named = pattern(`\\\\.|[^\\s\\\\"']`);
// On Windows the backslash separates folders and does not escape.
const namedOnWindows = pattern(`[^\\s"']`);

export function findImages(prompt: string, isWindows = process.platform === 'win32'): NamedImage[] {
  return Array.from(prompt.matchAll(isWindows ? namedOnWindows : named), (match) => {
    const [matched, , quoted, bare = ''] = match;
    const written = quoted ?? bare;
    const path = quoted ?? (isWindows ? bare : bare.replace(/\\(.)/g, '$1'));
    return {
      start: match.index,
      end: match.index + matched.length,
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

/** The prompt without the names of the images and the gaps that they leave. */
export function removeImages(prompt: string, images: readonly NamedImage[]): string {
  let text = '';
  let from = 0;
  for (const { start, end } of images) {
    text += prompt.slice(from, start);
    // One of two adjacent spaces is removed too.
    from = /\s$|^$/.test(text) && prompt[end] === ' ' ? end + 1 : end;
  }
  return (text + prompt.slice(from)).trim();
}
