// Watches an answer for the text from which on a grammar applies: a function of the tokens so far and the next one. It
// remembers no more of the answer than the longest trigger needs.

import type { LazyGrammar } from '../../../protocol/messages.ts';
import {
  addToken,
  blanks,
  cutBefore,
  keepEnd,
  leadingBlanks,
  noText,
  textOf,
  toBytes,
  type WatchedText,
  type WatchedToken,
} from './watched-text.ts';

export interface Watch extends WatchedText {
  /** `first`: the answer has no text but the beginning of a trigger. `text`: anything else. */
  readonly phase: 'first' | 'text';
}

/** The tokens from the trigger on. The grammar begins after `before`, which is the beginning of the first token. */
export interface Triggered {
  readonly before: string;
  readonly tokens: readonly number[];
}

export type TriggerWatch = Pick<LazyGrammar, 'triggers' | 'afterTrigger'>;

// White space at the start of an answer, and inside a trigger there.
const maxStart = 512;

/** `text`: the beginning of the answer, if there is some. */
export function startWatch(settings: TriggerWatch, text: WatchedText = noText): Watch | Triggered {
  return lookAtStart(settings, { ...text, phase: 'first' });
}

/** The watch with one more token, or the trigger that the token completes. */
export function advanceWatch(settings: TriggerWatch, watch: Watch, next: WatchedToken): Watch | Triggered {
  const current = addToken(watch, next);
  return current.phase === 'first' ? lookAtStart(settings, current) : lookInText(settings, current);
}

/** Where a grammar begins that applies to the whole text. */
export function skipBlanks(text: WatchedText): Triggered {
  const watched = textOf(text);
  return toTriggered(text, text.skipped + watched.length - watched.replace(leadingBlanks, '').length);
}

function lookAtStart(settings: TriggerWatch, watch: Watch): Watch | Triggered {
  const text = textOf(watch);
  const compact = text.replace(blanks, '');
  const starts = settings.triggers.filter(({ atStart }) => atStart).map((trigger) => toBytes(trigger.text));
  if (starts.some((start) => compact.startsWith(start))) return skipBlanks(watch);
  const isOpen = text.length < maxStart && starts.some((start) => start.startsWith(compact));
  return isOpen ? (findTrigger(settings, watch) ?? watch) : lookInText(settings, { ...watch, phase: 'text' });
}

function lookInText(settings: TriggerWatch, watch: Watch): Watch | Triggered {
  const longest = Math.max(...settings.triggers.map(({ text }) => toBytes(text).length));
  return findTrigger(settings, watch) ?? keepEnd(watch, longest);
}

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

function toTriggered(text: WatchedText, at: number): Triggered {
  const { recent, skipped } = cutBefore(text, at);
  return { before: recent[0]?.text.slice(0, skipped) ?? '', tokens: recent.map(({ token }) => token) };
}
