// Log lines as text (time, level, message, key=value pairs) or as JSON. Lines written during a request carry its id.
// Prompts and answers are never logged.

import { currentRequest } from './request/request-scope.ts';
import type { Clock } from './time/clock.ts';
import { formatTimestamp } from './time/timestamp.ts';

const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

interface LoggerOptions {
  readonly clock: Clock;
  readonly level: LogLevel;
  readonly format?: 'text' | 'json';
  readonly write: (line: string) => void;
}

export function createLogger({ clock, level, format = 'text', write }: LoggerOptions): Logger {
  const threshold = logLevels.indexOf(level);
  const log =
    (lineLevel: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (logLevels.indexOf(lineLevel) < threshold) return;
      const line = { time: formatTimestamp(clock.now()), level: lineLevel, message, fields: withRequest(fields) };
      write(withoutSecrets(format === 'json' ? toJson(line) : toText(line)));
    };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

// Keys of this server, and those of other services with the usual prefix.
const secrets = /\b(hearth_[0-9a-f]{16}_|sk-)[\w-]{8,}/g;

/** A key that someone has pasted into a path or a name. */
function withoutSecrets(line: string): string {
  return line.includes('hearth_') || line.includes('sk-') ? line.replace(secrets, '$1…') : line;
}

// Control characters except tabs and line breaks, line separators, and characters that change the direction of text: a
// log is read in a terminal, and a name that a client sends must not control it.
const controls = /[^\P{Cc}\t\r\n]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

// Most texts consist of these, and to see that takes a fraction of the time of a replacement.
const plain = /^[\x20-\x7e]*$/;

/** A value without quotes. */
const word = /^[\w.:/@+-]+$/;

interface Line {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

function withRequest(fields: LogFields): LogFields {
  const request = currentRequest();
  return request === undefined ? fields : { ...fields, request: request.id, trace: request.trace?.traceId };
}

function toJson({ time, level, message, fields }: Line): string {
  const entries = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === 'string' ? withoutControls(value) : value,
  ]);
  return `${JSON.stringify({ time, level, message: withoutControls(message), ...Object.fromEntries(entries) })}\n`;
}

function toText({ time, level, message, fields }: Line): string {
  let text = `${time} ${level.padEnd(5)} ${oneLine(message)}`;
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) text += ` ${key}=${formatValue(value)}`;
  return `${text}\n`;
}

function formatValue(value: LogFields[string]): string {
  const given = String(value);
  return word.test(given) ? given : formatText(withoutControls(given));
}

function formatText(text: string): string {
  return word.test(text) ? text : JSON.stringify(text);
}

// A message may quote client input; a line break in it must not forge a second log line.
function oneLine(message: string): string {
  return plain.test(message) ? message : withoutControls(message).replace(/[\r\n]+/g, ' ');
}

// The rest of an escape sequence without its first character is harmless text.
function withoutControls(text: string): string {
  return plain.test(text) ? text : text.replace(controls, '');
}
