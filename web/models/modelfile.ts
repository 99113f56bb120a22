// Modelfiles: their parameters, new ones from the details of a model, and the line that an error is about.

import type { ShowResponseBody } from '../../src/server/dialects/ollama/models/show-schema.ts';
import { ApiError, errorText } from '../api/request.ts';

export type DetailRow = readonly [name: string, value: string];

/** `text` has a name and a value on each line. */
export function parameterRows(text: string): DetailRow[] {
  return text.split('\n').flatMap((line): DetailRow[] => {
    const [, name, value] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
}

/** Longer values, such as a chat template, are cut. */
const maxValueCharacters = 300;

/** Arrays that the server left out are null. */
export function metadataRows(metadata: Readonly<Record<string, unknown>>): DetailRow[] {
  return Object.entries(metadata)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return [name, text.length > maxValueCharacters ? `${text.slice(0, maxValueCharacters)}…` : text];
    });
}

/** The Modelfile of a new model that begins as a copy of another one. What it does not name comes from that model. */
export function deriveModelfile(
  base: string,
  { parameters = '', system = '' }: Pick<ShowResponseBody, 'parameters' | 'system'>,
): string {
  const lines = [`FROM ${base}`, ...parameterRows(parameters).map(([name, value]) => `PARAMETER ${name} ${value}`)];
  // A Modelfile has no escapes.
  if (system !== '' && !system.includes('"""')) lines.push(`SYSTEM """\n${system}\n"""`);
  return `${lines.join('\n')}\n`;
}

/** An example for a first model. */
export function exampleModelfile(base: string): string {
  return deriveModelfile(base, {
    parameters: 'temperature 0.7',
    system: 'You are a helpful assistant. Answer briefly.',
  });
}

export interface PlacedError {
  readonly message: string;
  /** From 1; absent if the error is about the whole Modelfile. */
  readonly line?: number;
}

/** Errors about the model that FROM names. */
const baseErrors = ['model_not_found', 'registry_failed', 'registry_denied', 'registry_invalid_response'];

export function placeError(error: unknown, modelfile: string): PlacedError {
  const text = errorText(error);
  const [, line, message] = /^\(line (\d{1,9})\): (.*)$/s.exec(text) ?? [];
  if (message !== undefined) return { message, line: Number(line) };
  if (!(error instanceof ApiError) || !baseErrors.includes(error.code)) return { message: text };
  const index = modelfile.split('\n').findIndex((one) => /^\s*from\s/i.test(one));
  return index === -1 ? { message: text } : { message: text, line: index + 1 };
}
