// Log lines for people and for grep: time, level, sentence, then key=value pairs. Prompts and answers
// never go in here.

import type { Clock } from './clock.ts';
import { formatTimestamp } from './timestamp.ts';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface LoggerOptions {
  readonly clock: Clock;
  readonly level: LogLevel;
  readonly write: (line: string) => void;
}

export function createLogger({ clock, level, write }: LoggerOptions): Logger {
  const threshold = logLevels.indexOf(level);
  const log =
    (at: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (logLevels.indexOf(at) < threshold) return;
      const pairs = Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => ` ${key}=${formatValue(value)}`);
      write(`${formatTimestamp(clock.now())} ${at.padEnd(5)} ${oneLine(message)}${pairs.join('')}\n`);
    };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function formatValue(value: LogFields[string]): string {
  const text = String(value);
  return /^[\w.:/@+-]+$/.test(text) ? text : JSON.stringify(text);
}

// A message may quote what a client sent; a line break in it must not forge a second log line.
function oneLine(message: string): string {
  return message.replace(/[\r\n]+/g, ' ');
}
