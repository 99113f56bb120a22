// The Modelfile of a new model that begins as a copy of another one. What it does not name comes from that model.

import type { ShowResponseBody } from '../../src/server/dialects/ollama/models/show-schema.ts';
import { parameterRows } from './detail-rows.ts';

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
