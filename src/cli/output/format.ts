// Human-readable sizes and times, and sanitizing of untrusted text for the terminal.

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Decimal units as Ollama prints them, with one decimal below ten and none from there on: `4.7 GB`, `12 GB`. */
export function formatByteSize(bytes: number): string {
  let unit = 0;
  while (bytes >= 1000 ** (unit + 1) && unit < byteUnits.length - 1) unit++;
  const value = bytes / 1000 ** unit;
  const shown = value >= 10 || Number.isInteger(value) ? String(Math.trunc(value)) : value.toFixed(1);
  return `${shown} ${byteUnits[unit]}`;
}

const second = 1e3;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `About an hour`. */
export function formatSpan(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / second);
  if (seconds < 1) return 'Less than a second';
  if (milliseconds < minute) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.floor(milliseconds / minute);
  if (minutes < 60) return minutes === 1 ? 'About a minute' : `${minutes} minutes`;
  const hours = Math.round(milliseconds / hour);
  if (hours < 48) return hours === 1 ? 'About an hour' : `${hours} hours`;
  return formatDays(milliseconds / day);
}

function formatDays(days: number): string {
  if (days < 14) return `${Math.floor(days)} days`;
  if (days < 60) return `${Math.floor(days / 7)} weeks`;
  if (days < 730) return `${Math.floor(days / 30)} months`;
  return `${Math.floor(days / 365)} years`;
}

/** `3 hours ago`, `4 minutes from now`. */
export function formatMoment(moment: number, now: number): string {
  return moment > now ? `${formatSpan(moment - now)} from now` : `${formatSpan(now - moment)} ago`;
}

/** Go's format of durations: `1h2m3.5s`, `12.3ms`. */
export function formatElapsed(nanoseconds: number): string {
  if (nanoseconds < 0) return `-${formatElapsed(-nanoseconds)}`;
  if (nanoseconds === 0) return '0s';
  if (nanoseconds < 1e3) return `${nanoseconds}ns`;
  if (nanoseconds < 1e6) return `${trimmed(nanoseconds / 1e3, 3)}µs`;
  if (nanoseconds < 1e9) return `${trimmed(nanoseconds / 1e6, 6)}ms`;
  const hours = Math.floor(nanoseconds / 3600e9);
  const minutes = Math.floor((nanoseconds % 3600e9) / 60e9);
  const seconds = `${trimmed((nanoseconds % 60e9) / 1e9, 9)}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

function trimmed(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}

/** Remaining time of a transfer: `1h2m`, `4m10s`, `12s`. */
export function formatTimeLeft(milliseconds: number): string {
  if (milliseconds >= 100 * hour) return '99h+';
  const seconds = Math.round(milliseconds / second);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours}h${minutes}m`;
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}

// Control characters, which start escape sequences, and bidirectional controls, which can make one name look like
// another.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Removes control characters from the text of a server, a model or a file. Newlines and tabs are kept. */
export function safeText(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(controlCharacters, '');
}

/** Like `safeText`, on one line. */
export function safeLine(text: string): string {
  const [first = '', ...others] = safeText(text).split('\n');
  if (others.length === 0) return first.replaceAll('\t', ' ');
  const last = others.pop() ?? '';
  const middle = others.map((line) => line.trim()).filter((line) => line !== '');
  return [first.trimEnd(), ...middle, last.trimStart()].join(' ').replaceAll('\t', ' ');
}

/** API responses for scripts: indented JSON with a final newline. */
export function formatJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
