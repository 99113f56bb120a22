// Parses the flags of `hearth run`.

import { readFile, stat } from 'node:fs/promises';
import { HearthError, messageOf } from '../../base/errors.ts';
import { describeSystemError } from '../../base/process/system-error.ts';
import { parseKeepAlive } from '../../models/keep-alive.ts';
import { safeLine } from '../output/format.ts';
import { type Preferences, type Think, thinkLevels } from '../repl/session.ts';

export interface RunOptions extends Preferences {
  readonly insecure: boolean;
  /** For embedding models. */
  readonly truncate?: boolean;
  readonly dimensions?: number;
}

type Given = Readonly<Record<string, unknown>>;

export async function readRunOptions(given: Given): Promise<RunOptions> {
  const { format, keepalive, think, truncate, dimensions } = given;
  return {
    wordWrap: given['nowordwrap'] !== true,
    verbose: given['verbose'] === true,
    hideThinking: given['hidethinking'] === true,
    insecure: given['insecure'] === true,
    ...(typeof format === 'string' && format !== '' ? { format: await readFormat(format) } : {}),
    ...(typeof keepalive === 'string' ? { keepAlive: readKeepAlive(keepalive) } : {}),
    ...(think === undefined ? {} : { think: readThink(think) }),
    ...(truncate === undefined ? {} : { truncate: readSwitch('--truncate', truncate) }),
    ...(dimensions === undefined ? {} : { dimensions: readDimensions(dimensions) }),
  };
}

const maxSchema = 2 ** 20;

/** `json`, a JSON schema, or the path of a file with a schema. */
export async function readFormat(text: string): Promise<unknown> {
  if (text === 'json') return text;
  if (text.trimStart().startsWith('{')) return parseSchema(text, 'the schema');
  return parseSchema(await readSchemaFile(text), `'${safeLine(text)}'`);
}

async function readSchemaFile(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > maxSchema) throw bad(`'${safeLine(path)}' is not a file with a JSON schema`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof HearthError) throw error;
    const reason = describeSystemError(error);
    throw bad(`the format must be "json" or a file with a JSON schema; cannot read '${safeLine(path)}': ${reason}`);
  }
}

function parseSchema(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw bad(`${source} is not valid JSON: ${safeLine(messageOf(error))}`);
  }
}

/** A plain number means seconds, as in Ollama. */
function readKeepAlive(text: string): string | number {
  const value = /^-?\d+$/.test(text) ? Number(text) : text;
  try {
    parseKeepAlive(value);
  } catch {
    throw bad(`--keepalive is "${safeLine(text)}", but must be a duration such as 30s or 5m, or -1 for no limit`);
  }
  return value;
}

function readThink(given: unknown): Think {
  if (given === true || given === 'true') return true;
  if (given === 'false') return false;
  const level = thinkLevels.find((name) => name === given);
  if (level !== undefined) return level;
  throw bad(`--think is "${safeLine(String(given))}", but must be one of true, false, ${thinkLevels.join(', ')}`);
}

function readSwitch(name: string, given: unknown): boolean {
  if (given === true || given === 'true') return true;
  if (given === 'false') return false;
  throw bad(`${name} is "${safeLine(String(given))}", but must be true or false`);
}

function readDimensions(given: unknown): number {
  if (typeof given === 'string' && /^\d{1,7}$/.test(given)) return Number(given);
  throw bad(`--dimensions is "${safeLine(String(given))}", but must be an integer`);
}

function bad(message: string): HearthError {
  return new HearthError('bad_request', message);
}
