// Parses the flags of `hearth run`.

import { badRequest } from '../../base/errors.ts';
import { parseKeepAlive } from '../../models/keep-alive.ts';
import { type Preferences, type Think, thinkLevels } from '../answers/preferences.ts';
import { readFormat } from '../answers/read-format.ts';
import { safeLine } from '../output/format.ts';

export interface RunPreferences extends Preferences {
  readonly insecure: boolean;
  /** For embedding models. */
  readonly truncate?: boolean;
  readonly dimensions?: number;
}

type Given = Readonly<Record<string, unknown>>;

export async function readRunOptions(given: Given): Promise<RunPreferences> {
  const { format, keepalive, think, truncate, dimensions } = given;
  return {
    wordWrap: given['nowordwrap'] !== true,
    verbose: given['verbose'] === true,
    hideThinking: given['hidethinking'] === true,
    insecure: given['insecure'] === true,
    format: typeof format === 'string' && format !== '' ? await readFormat(format) : undefined,
    keepAlive: typeof keepalive === 'string' ? readKeepAlive(keepalive) : undefined,
    think: think === undefined ? undefined : readThink(think),
    truncate: truncate === undefined ? undefined : readSwitch('--truncate', truncate),
    dimensions: dimensions === undefined ? undefined : readDimensions(dimensions),
  };
}

/** A plain number means seconds, as in Ollama. */
function readKeepAlive(text: string): string | number {
  const value = /^-?\d+$/.test(text) ? Number(text) : text;
  try {
    parseKeepAlive(value);
  } catch {
    throw badRequest(
      `--keepalive is "${safeLine(text)}", but must be a duration such as 30s or 5m, or -1 for no limit`,
    );
  }
  return value;
}

function readThink(given: unknown): Think {
  if (given === true || given === 'true') return true;
  if (given === 'false') return false;
  const level = thinkLevels.find((name) => name === given);
  if (level !== undefined) return level;
  throw badRequest(
    `--think is "${safeLine(String(given))}", but must be one of true, false, ${thinkLevels.join(', ')}`,
  );
}

function readSwitch(name: string, given: unknown): boolean {
  if (given === true || given === 'true') return true;
  if (given === 'false') return false;
  throw badRequest(`${name} is "${safeLine(String(given))}", but must be true or false`);
}

function readDimensions(given: unknown): number {
  if (typeof given === 'string' && /^\d{1,7}$/.test(given)) return Number(given);
  throw badRequest(`--dimensions is "${safeLine(String(given))}", but must be an integer`);
}
