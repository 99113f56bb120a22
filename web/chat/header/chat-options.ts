// The options that the settings of a chat show, and what users type into them.

import type { Label } from '../../language/catalogue.ts';
import { t } from '../../language/language.ts';

interface OptionField {
  /** The name of the option in the API. */
  readonly name: string;
  readonly label: Label;
  readonly help: Label;
  readonly step: number;
  readonly min?: number;
  readonly max?: number;
}

export const optionInputs: readonly OptionField[] = [
  { name: 'temperature', label: 'Temperature', help: 'Lower is more predictable', step: 0.1, min: 0, max: 2 },
  {
    name: 'top_p',
    label: 'Top P',
    help: 'Chooses among the most likely tokens up to this total probability',
    step: 0.05,
    min: 0,
    max: 1,
  },
  { name: 'top_k', label: 'Top K', help: 'Chooses among this many of the most likely tokens', step: 1, min: 0 },
  {
    name: 'min_p',
    label: 'Min P',
    help: 'Minimum probability relative to the most likely token',
    step: 0.01,
    min: 0,
    max: 1,
  },
  { name: 'repeat_penalty', label: 'Repeat penalty', help: 'Above 1 avoids repetition', step: 0.05, min: 0, max: 2 },
  { name: 'num_predict', label: 'Answer length', help: 'Maximum number of tokens', step: 1, min: 1 },
  { name: 'num_ctx', label: 'Context length', help: 'In tokens; a change reloads the model', step: 256, min: 256 },
  { name: 'seed', label: 'Seed', help: 'The same seed gives the same answer', step: 1 },
];

/** An empty text removes the option, so that the model's own value applies. */
export function withOption(
  options: Readonly<Record<string, unknown>>,
  name: string,
  text: string,
): Readonly<Record<string, unknown>> {
  const { [name]: _, ...others } = options;
  const value = Number(text);
  return text.trim() === '' || !Number.isFinite(value) ? others : { ...others, [name]: value };
}

/** The format of answers as users type it: nothing, `json`, or a JSON schema. */
export function parseFormat(text: string): { readonly format: unknown } | { readonly problem: string } {
  const trimmed = text.trim();
  if (trimmed === '') return { format: null };
  if (trimmed === 'json' || trimmed === '"json"') return { format: 'json' };
  try {
    const format: unknown = JSON.parse(trimmed);
    if (typeof format === 'object' && format !== null && !Array.isArray(format)) return { format };
  } catch (error) {
    return { problem: t('Not JSON: {reason}', { reason: error instanceof Error ? error.message : String(error) }) };
  }
  return { problem: t('A JSON schema is an object.') };
}

export function formatToText(format: unknown): string {
  if (format === null || format === undefined) return '';
  return typeof format === 'string' ? format : JSON.stringify(format, null, 2);
}
