// Finds the chat format of a Jinja template. A wrong match would produce wrong prompts. Without a match the Jinja
// template itself is rendered. So a template that writes any text unknown to a format does not match it.

import { jinjaCapabilities } from '../jinja/jinja-capabilities.ts';
import type { ChatFormat, FormatRow } from './chat-format.ts';
import { tokenFormats } from './token-formats.ts';
import { toolFormats } from './tool-formats.ts';
import { wordFormats } from './word-formats.ts';
import { writtenTexts } from './written-text.ts';

export const formats: readonly FormatRow[] = [...toolFormats, ...tokenFormats, ...wordFormats];

// The strings of every template contain names of roles and fields.
const commonWords = ['assistant', 'content', 'message', 'messages', 'role', 'system', 'user'];
// Templates in use are far shorter.
const maxSource = 2 ** 16;

/** `eosToken` is the model's end-of-text token, which some formats write after answers. */
export function findFormat(source: string, eosToken?: string): ChatFormat | undefined {
  const texts = source.length > maxSource ? undefined : writtenTexts(source);
  // The token would become code in the Go template.
  if (texts === undefined || eosToken?.includes('{{')) return undefined;
  const weight = ({ marks }: FormatRow): number => marks.join('').length;
  const [best] = formats.filter((row) => matches(row, source, texts)).sort((a, b) => weight(b) - weight(a));
  return best && toFormat(best, eosToken);
}

function matches(row: FormatRow, source: string, texts: readonly string[]): boolean {
  const { tools, thinking } = jinjaCapabilities(source);
  if (thinking || tools !== toolFormats.includes(row)) return false;
  const { marks, words, has = [], lacks = [] } = row;
  if (!has.every((code) => source.includes(code)) || lacks.some((code) => source.includes(code))) return false;
  if (!marks.every((mark) => texts.some((text) => text.includes(mark)))) return false;
  return words === undefined || consistsOf(texts, [...marks, ...words, ...commonWords]);
}

function consistsOf(texts: readonly string[], words: readonly string[]): boolean {
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  // Removed words leave a gap, so that the texts around them do not form new words.
  const gap = '\0';
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, gap), texts.join(gap));
  return rest.replaceAll(gap, '') === '';
}

function toFormat({ name, template, stop, eos }: FormatRow, eosToken: string | undefined): ChatFormat {
  if (eos === undefined || eosToken === undefined || eosToken === '') return { name, template, stop };
  return {
    name,
    template: template.replaceAll(eos, () => eosToken),
    stop: stop.map((word) => (word === eos ? eosToken : word)),
  };
}
