// The format of an answer, as a user names it.

import { readFile, stat } from 'node:fs/promises';
import { badRequest, HearthError, messageOf } from '../../base/errors.ts';
import { describeSystemError } from '../../base/process/system-error.ts';
import { safeLine } from '../output/format.ts';

const maxSchemaBytes = 2 ** 20;

/** `json`, a JSON schema, or the path of a file with a schema. */
export async function readFormat(text: string): Promise<unknown> {
  if (text === 'json') return text;
  if (text.trimStart().startsWith('{')) return parseSchema(text, 'the schema');
  return parseSchema(await readSchemaFile(text), `'${safeLine(text)}'`);
}

async function readSchemaFile(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > maxSchemaBytes)
      throw badRequest(`'${safeLine(path)}' is not a file with a JSON schema`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof HearthError) throw error;
    const reason = describeSystemError(error);
    throw badRequest(
      `the format must be "json" or a file with a JSON schema; cannot read '${safeLine(path)}': ${reason}`,
    );
  }
}

function parseSchema(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`${source} is not valid JSON: ${safeLine(messageOf(error))}`);
  }
}
