// The levels of thinking that a model tells apart, according to its template.

import { jinjaThinkingTags } from './thinking-tags.ts';

export interface ThinkLevels {
  /** From the lowest to the highest. */
  readonly levels: readonly string[];
  /** Whether the template fails with any other level. */
  readonly isClosed: boolean;
}

const scale = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
/** The levels of templates that write the level into the prompt. */
const written = ['low', 'medium', 'high'];
/** Names of no thinking at all. */
const off: ReadonlySet<string> = new Set(['none', 'no_think', 'off', 'disabled']);

/** The levels of a Go template that mentions them. gpt-oss knows three. */
export function goThinkLevels({ hasChannels }: { readonly hasChannels: boolean }): ThinkLevels {
  return { levels: hasChannels ? written : [...written, 'max'], isClosed: false };
}

/** Undefined if the template does not read the level. */
export function jinjaThinkLevels(source: string): ThinkLevels | undefined {
  const about = statementsAbout(source);
  const closed = about.map((text) => /_effort not in (\[[^\]]{0,200}\])/.exec(text)?.[1]).find(Boolean);
  const compared = (closed === undefined ? about : [closed]).flatMap(literalsIn);
  const isWritten = closed === undefined && about.some((text) => text.startsWith('{{') && !/\bif\b/.test(text));
  const levels = new Set([...compared, ...(isWritten ? written : [])].filter((level) => !off.has(level)));
  if (levels.size === 0) return undefined;
  return { levels: [...levels].sort((a, b) => rank(a) - rank(b)), isClosed: closed !== undefined };
}

/** The level that switches thinking on or off in a template that does so only by the level. */
export function jinjaThinkSwitch(source: string, isOn: boolean): string | undefined {
  const about = statementsAbout(source);
  if (!isOn) return about.flatMap(literalsIn).find((level) => off.has(level)) ?? levelWithoutThinking(source);
  const preset = about.map((text) => /set \w+_effort = ['"](\w+)['"]/.exec(text)?.[1]).find(Boolean);
  const levels = off.has(preset ?? '') ? jinjaThinkLevels(source)?.levels : undefined;
  return levels && fitLevel('high', { levels, isClosed: true });
}

function statementsAbout(source: string): readonly string[] {
  if (!source.includes('_effort')) return [];
  const statements = Array.from(source.matchAll(/\{[{%](?:(?!\{[{%])[\s\S])*?[%}]\}/g), ([text]) => text);
  return statements.filter((text) => /\b(?:reasoning|thinking)_effort\b/.test(text));
}

/** The lowest of the levels for which a prompt has empty thinking. */
function levelWithoutThinking(source: string): string | undefined {
  const { open, close } = jinjaThinkingTags(source) ?? {};
  const [, list = '', text = ''] = /_effort in (\[[^\]]{0,200}\])[^{]{0,200}\{\{([^}]{0,200})\}\}/.exec(source) ?? [];
  return text.includes(`${open}${close}`) ? literalsIn(list).sort((a, b) => rank(a) - rank(b))[0] : undefined;
}

/** The level that the template gets. One above all levels of the model is its highest, as `max` in Ollama. */
export function fitLevel(level: string, { levels, isClosed }: ThinkLevels): string {
  const wanted = scale.indexOf(level);
  if (levels.includes(level) || wanted === -1) return level;
  const next = levels.find((one) => scale.indexOf(one) >= wanted);
  if (next === undefined) return levels.at(-1) ?? level;
  return isClosed ? next : level;
}

const rank = (level: string): number => (scale.includes(level) ? scale.indexOf(level) : scale.length);

function literalsIn(text: string): string[] {
  return Array.from(
    text.matchAll(/'([a-z_]{2,16})'|"([a-z_]{2,16})"/g),
    ([, single, double]) => single ?? double ?? '',
  );
}
