// Watches an answer for the text from which on a grammar applies: a function of the tokens so far and the next one. It
// compares bytes, as strings in latin1, because tokens can split characters. It remembers no more of the answer than the
// longest trigger needs.

import type { LazyGrammar } from '../../../protocol/messages.ts';

export interface WatchedToken {
  readonly token: number;
  /** Its bytes in latin1. */
  readonly text: string;
}

export interface Watch {
  /** `opening`: the answer may begin with thinking. `thinking`: triggers do not count yet. `first`: the answer has no
   * text but the beginning of a trigger. `text`: anything else. */
  readonly phase: 'opening' | 'thinking' | 'first' | 'text';
  /** The tokens that can be part of what the phase looks for. The first one may have text before it. */
  readonly recent: readonly WatchedToken[];
  /** Length of the text in `recent` that was ruled out. */
  readonly skipped: number;
}

/** The tokens from the trigger on. The grammar begins after `before`, which is the beginning of the first token. */
export interface Triggered {
  readonly before: string;
  readonly tokens: readonly number[];
}

export type TriggerWatch = Omit<LazyGrammar, 'grammar'>;

// White space at the start of an answer, and inside a trigger there.
const maxStart = 512;
// Not \s, which includes a byte of other characters.
const blanks = /[ \t\r\n]/g;
const leadingBlanks = /^[ \t\r\n]+/;

export function startWatch({ thinking }: TriggerWatch): Watch {
  const phase = thinking === undefined ? 'first' : thinking.begun ? 'thinking' : 'opening';
  return { phase, recent: [], skipped: 0 };
}

/** The watch with one more token, or the trigger that the token completes. */
export function advanceWatch(settings: TriggerWatch, watch: Watch, next: WatchedToken): Watch | Triggered {
  let current: Watch = { ...watch, recent: [...watch.recent, next] };
  for (;;) {
    const result = steps[current.phase](settings, current);
    if (!('phase' in result) || result.phase === current.phase) return result;
    current = result;
  }
}

type Step = (settings: TriggerWatch, watch: Watch) => Watch | Triggered;

const steps: Readonly<Record<Watch['phase'], Step>> = {
  opening({ thinking }, watch) {
    const open = toBytes(thinking?.open ?? '');
    const start = textOf(watch).replace(leadingBlanks, '');
    if (start.startsWith(open)) return { ...watch, phase: 'thinking' };
    return open.startsWith(start) && textOf(watch).length < maxStart ? watch : { ...watch, phase: 'first' };
  },
  thinking({ thinking }, watch) {
    const close = toBytes(thinking?.close ?? '');
    const at = textOf(watch).indexOf(close);
    if (at === -1) return keepEnd(watch, close.length);
    return { phase: 'first', ...cutBefore(watch, watch.skipped + at + close.length) };
  },
  first(settings, watch) {
    const { triggers } = settings;
    const text = textOf(watch);
    const compact = text.replace(blanks, '');
    const starts = triggers.filter(({ atStart }) => atStart).map((trigger) => toBytes(trigger.text));
    if (starts.some((start) => compact.startsWith(start)))
      return toTriggered(watch, watch.skipped + text.length - text.replace(leadingBlanks, '').length);
    const isOpen = text.length < maxStart && starts.some((start) => start.startsWith(compact));
    const found = findTrigger(settings, watch);
    return found ?? (isOpen ? watch : { ...watch, phase: 'text' });
  },
  text(settings, watch) {
    const longest = Math.max(...settings.triggers.map(({ text }) => toBytes(text).length));
    return findTrigger(settings, watch) ?? keepEnd(watch, longest);
  },
};

function findTrigger({ triggers, afterTrigger = false }: TriggerWatch, watch: Watch): Triggered | undefined {
  const text = textOf(watch);
  const found = triggers
    .filter(({ atStart }) => !atStart)
    .map((trigger) => ({ at: text.indexOf(toBytes(trigger.text)), length: toBytes(trigger.text).length }))
    .filter(({ at }) => at !== -1)
    .sort((a, b) => a.at - b.at);
  const [first] = found;
  return first && toTriggered(watch, watch.skipped + first.at + (afterTrigger ? first.length : 0));
}

function toTriggered(watch: Watch, at: number): Triggered {
  const { recent, skipped } = cutBefore(watch, at);
  return { before: recent[0]?.text.slice(0, skipped) ?? '', tokens: recent.map(({ token }) => token) };
}

/** Drops the tokens that end before `at`. */
function cutBefore({ recent }: Watch, at: number): Pick<Watch, 'recent' | 'skipped'> {
  let start = 0;
  let index = 0;
  for (; index < recent.length; index++) {
    const length = (recent[index] as WatchedToken).text.length;
    if (start + length > at) break;
    start += length;
  }
  return { recent: recent.slice(index), skipped: at - start };
}

/** Drops the tokens that are not part of the last `length` bytes. */
function keepEnd(watch: Watch, length: number): Watch {
  const total = watch.recent.reduce((sum, { text }) => sum + text.length, 0);
  const end = Math.max(watch.skipped, total - length);
  return { ...watch, ...cutBefore(watch, end) };
}

function textOf({ recent, skipped }: Watch): string {
  return recent
    .map(({ text }) => text)
    .join('')
    .slice(skipped);
}

export function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}
