// The lines of an input file: {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {…}}

import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { asObject, isObject, parseJson } from '../../../base/json-values.ts';
import { JsonScanner } from '../../../base/text/json-scanner.ts';
import type { LineProblem } from '../store/batch-store.ts';

/** Where a line is in the file. */
export interface InputLine {
  readonly customId: string;
  readonly offset: number;
  readonly bytes: number;
}

interface LineRequest {
  readonly customId: string;
  /** JSON. */
  readonly body: Buffer;
}

const maxLines = 50_000;
/** Parsing a line takes less than 50 milliseconds. */
const maxLineBytes = 4 * 2 ** 20;
const maxCustomId = 512;
const maxProblems = 100;
const newline = 0x0a;

interface IndexedLines {
  readonly lines: readonly InputLine[];
  readonly problems: readonly LineProblem[];
}

/** Reads and checks all lines until the signal aborts, and lets others run between two of them. */
export async function indexLines(path: string, endpoint: string, signal: AbortSignal): Promise<IndexedLines> {
  const lines: InputLine[] = [];
  const problems: LineProblem[] = [];
  const ids = new Set<string>();
  let number = 0;
  for await (const { text, offset } of splitFile(path)) {
    if (signal.aborted || problems.length >= maxProblems) break;
    number++;
    try {
      const customId = checkLine(text, { number, endpoint, ids });
      ids.add(customId);
      lines.push({ customId, offset, bytes: text?.length ?? 0 });
    } catch (error) {
      const { lineCode: code = 'invalid_json_line', param = null } = error as Partial<LineError>;
      problems.push({ code, message: messageOf(error), param, line: number });
      if (number > maxLines) break;
    }
    await setImmediate();
  }
  if (number === 0 && !signal.aborted)
    problems.push({ code: 'empty_file', message: 'the file has no lines', param: null, line: null });
  return { lines, problems };
}

interface LineContext {
  readonly number: number;
  readonly endpoint: string;
  /** The ids of the lines before. */
  readonly ids: ReadonlySet<string>;
}

function checkLine(text: Buffer | undefined, { number, endpoint, ids }: LineContext): string {
  if (number > maxLines) throw invalid('too_many_lines', `the file has more than ${maxLines} lines`);
  if (text === undefined) throw invalid('line_too_long', `the line has more than ${maxLineBytes} bytes`);
  const { customId } = readLine(text, endpoint);
  if (ids.has(customId)) throw invalid('duplicate_custom_id', `custom_id "${customId}" occurs twice`, 'custom_id');
  return customId;
}

/** The request of a line that `indexLines` has accepted. */
export async function readRequest(file: FileHandle, line: InputLine, endpoint: string): Promise<LineRequest> {
  const text = Buffer.alloc(line.bytes);
  const { bytesRead } = await file.read(text, 0, line.bytes, line.offset);
  return readLine(text.subarray(0, bytesRead), endpoint);
}

class LineError extends HearthError {
  readonly lineCode: string;
  readonly param: string | null;

  constructor(code: string, message: string, param: string | null) {
    super('bad_request', message);
    this.lineCode = code;
    this.param = param;
  }
}

function invalid(code: string, message: string, param: string | null = null): LineError {
  return new LineError(code, message, param);
}

function readLine(text: Buffer, endpoint: string): LineRequest {
  new JsonScanner().addBytes(text);
  const value = parseJson(text.toString('utf8'));
  if (value === undefined) throw invalid('invalid_json_line', 'the line is not valid JSON');
  const { custom_id: customId, method, url, body } = asObject(value);
  if (typeof customId !== 'string' || customId === '' || customId.length > maxCustomId)
    throw invalid('invalid_custom_id', `custom_id must be a text of at most ${maxCustomId} characters`, 'custom_id');
  if (method !== 'POST') throw invalid('invalid_method', 'method must be "POST"', 'method');
  if (url !== endpoint) throw invalid('mismatched_url', `url must be "${endpoint}", as the batch says`, 'url');
  if (!isObject(body)) throw invalid('invalid_body', 'body must be an object', 'body');
  if (body['stream'] === true) throw invalid('invalid_body', 'a line of a batch cannot be streamed', 'body.stream');
  return { customId, body: Buffer.from(JSON.stringify(body)) };
}

interface RawLine {
  /** Undefined: the line is too long. */
  readonly text: Buffer | undefined;
  readonly offset: number;
}

/** Lines that are empty are left out. */
async function* splitFile(path: string): AsyncGenerator<RawLine> {
  let parts: Buffer[] = [];
  let start = 0;
  let bytes = 0;
  const take = (): RawLine[] => {
    const text = bytes > maxLineBytes ? undefined : Buffer.concat(parts);
    const line = { text, offset: start };
    start += bytes + 1;
    parts = [];
    bytes = 0;
    return text !== undefined && text.toString('utf8').trim() === '' ? [] : [line];
  };
  const add = (part: Buffer): void => {
    bytes += part.length;
    if (bytes <= maxLineBytes) parts.push(part);
    else parts = [];
  };
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, end));
      yield* take();
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  if (bytes > 0) yield* take();
}
