// /set: pure functions that return the changed session and a reply.

import { HearthError } from '../../../base/errors.ts';
import { nearestWord } from '../../../base/text/nearest-word.ts';
import { type ParameterValue, parametersOf } from '../../../formats/modelfile/parameters.ts';
import { type OptionKey, optionName, optionTable } from '../../../models/options.ts';
import { requireThinking } from '../../answers/require-ability.ts';
import { safeLine } from '../../output/format.ts';
import type { PromptSession } from '../session/session.ts';
import type { Input } from './parse-input.ts';

export interface Changed {
  readonly session: PromptSession;
  readonly reply: string;
}

const optionNames = (Object.keys(optionTable) as OptionKey[]).map(optionName);

/** Throws if the name or the value is invalid. */
export function setParameter(
  session: PromptSession,
  { name, values }: Extract<Input, { type: 'set-parameter' }>,
): Changed {
  if (!optionNames.includes(name)) {
    const suggestion = nearestWord(name, optionNames);
    const hint = suggestion === undefined ? 'Type /? set for a list' : `Did you mean '${suggestion}'?`;
    throw new HearthError('bad_option', `unknown parameter '${safeLine(name)}'. ${hint}`);
  }
  const value = parseValue(name, values);
  const shown = safeLine(values.join(', '));
  return {
    session: { ...session, options: { ...session.options, [name]: value } },
    reply: `Set parameter '${name}' to '${shown}'`,
  };
}

function parseValue(name: string, values: readonly string[]): ParameterValue {
  const commands = values.map((value) => ({ kind: 'parameter' as const, name, value }));
  try {
    return parametersOf({ commands }).values[name] ?? [];
  } catch {
    const expected = describeExpected(optionTable[keyOf(name)]);
    throw new HearthError('bad_option', `${name} must be ${expected}, not '${safeLine(values.join(' '))}'`);
  }
}

function describeExpected(row: (typeof optionTable)[OptionKey]): string {
  if (row.kind === 'choice') return `one of ${row.choices.join(', ')}`;
  const kinds = {
    int: 'an integer',
    float: 'a number',
    bool: 'true or false',
    strings: 'text',
    text: 'text',
    adapters: 'a number such as 0, or 0=0.5 with a scale',
    shares: 'numbers such as 3,1',
  };
  return kinds[row.kind];
}

function keyOf(name: string): OptionKey {
  return (Object.keys(optionTable) as OptionKey[]).find((key) => optionName(key) === name) ?? 'seed';
}

export function setSystem(session: PromptSession, system: string): Changed {
  return { session: { ...session, system }, reply: 'Set system message.' };
}

export function setSwitch(session: PromptSession, input: Extract<Input, { type: 'set-switch' }>): Changed {
  const { on } = input;
  const { preferences } = session;
  switch (input.switch) {
    case 'history':
      return { session: { ...session, keepsHistory: on }, reply: on ? "Set 'history' mode." : "Set 'nohistory' mode." };
    case 'wordwrap':
      return {
        session: { ...session, preferences: { ...preferences, wordWrap: on } },
        reply: on ? "Set 'wordwrap' mode." : "Set 'nowordwrap' mode.",
      };
    case 'verbose':
      return {
        session: { ...session, preferences: { ...preferences, verbose: on } },
        reply: on ? "Set 'verbose' mode." : "Set 'quiet' mode.",
      };
  }
}

/** Throws if the model cannot think. */
export function setThink(session: PromptSession, think: Extract<Input, { type: 'set-think' }>['think']): Changed {
  requireThinking(session, think, 'switch to a model that can, such as /load ember-thinks');
  const reply =
    think === false
      ? "Set 'nothink' mode."
      : typeof think === 'string'
        ? `Set 'think' mode to '${think}'.`
        : "Set 'think' mode.";
  return { session: { ...session, preferences: { ...session.preferences, think } }, reply };
}

/** `format` as in the request; undefined disables it. */
export function setFormat(session: PromptSession, format: unknown): Changed {
  const { format: _, ...others } = session.preferences;
  const preferences = format === undefined ? others : { ...others, format };
  const reply =
    format === undefined ? 'Disabled format.' : `Set format to '${format === 'json' ? 'json' : 'schema'}' mode.`;
  return { session: { ...session, preferences }, reply };
}
