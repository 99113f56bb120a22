// Decodes terminal input into keys. Escape sequences and UTF-8 characters can be split across reads.
//
//   key    = control | ESC key | CSI | SS3 | string | text
//   CSI    = ESC "[" { 0x20–0x3f } ( 0x40–0x7e )        arrows, Home, modified keys, bracketed paste
//   SS3    = ESC "O" letter                             arrows and Home in application mode
//   string = ESC ( "]" | "P" | "_" | "^" | "X" ) … ( BEL | ESC "\" )   replies of the terminal; dropped
//   paste  = ESC "[200~" text ESC "[201~"

import { type Key, press } from './keys.ts';

const pasteEnd = '\x1b[201~';
/** Longer than any sequence of a keyboard; longer input is dropped. */
const maxSequence = 64;
const maxString = 65_536;

const finalNames: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  Z: 'shift-tab',
};

const tildeNames: Readonly<Record<string, string>> = {
  '1': 'home',
  '3': 'delete',
  '4': 'end',
  '5': 'page-up',
  '6': 'page-down',
  '7': 'home',
  '8': 'end',
};

const controlNames: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  10: 'newline',
  13: 'enter',
  31: 'ctrl-_',
  127: 'backspace',
};

interface Taken {
  readonly keys: readonly Key[];
  /** Consumed code units; 0: more input is needed. */
  readonly length: number;
}

const needsMore: Taken = { keys: [], length: 0 };

export function createKeyDecoder() {
  const utf8 = new TextDecoder();
  let rest = '';
  let pasting = false;

  function takeAll(settled: boolean): Key[] {
    const keys: Key[] = [];
    while (rest !== '') {
      const taken = pasting ? takePaste(rest) : takeKey(rest, settled);
      keys.push(...taken.keys);
      rest = rest.slice(taken.length);
      if (taken.keys.some((key) => key === pasteBegins)) pasting = true;
      if (taken.keys.some((key) => key === pasteEnds)) pasting = false;
      if (taken.length === 0) break;
    }
    return keys.filter((key) => key !== pasteBegins && key !== pasteEnds);
  }

  return {
    decode(bytes: Uint8Array): Key[] {
      rest += utf8.decode(bytes, { stream: true });
      return takeAll(false);
    },
    /** Whether the input ends with an escape that is either a key or the start of a sequence. */
    get waiting() {
      return !pasting && rest !== '';
    },
    /** Called when no more bytes arrive: treats the escape as a key. */
    settle: (): Key[] => takeAll(true),
  };
}

// Internal markers, never returned.
const pasteBegins: Key = press('paste-begins');
const pasteEnds: Key = press('paste-ends');

function takePaste(text: string): Taken {
  const end = text.indexOf(pasteEnd);
  if (end !== -1) return { keys: [...pasted(text.slice(0, end)), pasteEnds], length: end + pasteEnd.length };
  // The end marker or \r\n may be split across reads.
  const lastEscape = text.lastIndexOf('\x1b');
  const held = lastEscape !== -1 && pasteEnd.startsWith(text.slice(lastEscape)) ? lastEscape : text.length;
  const length = text[held - 1] === '\r' ? held - 1 : held;
  return { keys: pasted(text.slice(0, length)), length };
}

function pasted(text: string): Key[] {
  // Control characters in a clipboard are never intended, and ESC could hide a part of the message.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
  const clean = text.replace(/\r\n?/g, '\n').replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
  return clean === '' ? [] : [{ type: 'paste', text: clean }];
}

function takeKey(text: string, settled: boolean): Taken {
  if (text.startsWith('\x1b')) return takeEscape(text, settled);
  const code = text.charCodeAt(0);
  if (code < 0x20 || code === 0x7f) return { keys: [press(controlName(code))], length: 1 };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text ends at a control character
  const run = /^[^\x00-\x1f\x7f]+/.exec(text)?.[0] ?? '';
  // C1 controls are not text.
  const printable = run.replace(/[\x80-\x9f]/g, '');
  return { keys: printable === '' ? [] : [{ type: 'text', text: printable }], length: run.length };
}

function controlName(code: number): string {
  return controlNames[code] ?? `ctrl-${String.fromCharCode(code | 0x60)}`;
}

function takeEscape(text: string, settled: boolean): Taken {
  const next = text[1];
  if (next === undefined) return settled ? { keys: [press('escape')], length: 1 } : needsMore;
  if (next === '[') return takeControlSequence(text, settled);
  if (next === 'O') return takeSingleShift(text, settled);
  if (/[\]P_^X]/.test(next)) return takeString(text, settled);
  return takeAlternate(text, settled);
}

/** Terminals send Alt as an ESC before the key. */
function takeAlternate(text: string, settled: boolean): Taken {
  if (text[1] === '\x1b') {
    const inner = takeEscape(text.slice(1), settled);
    if (inner.length === 0) return needsMore;
    return { keys: inner.keys.map(withAlt), length: inner.length + 1 };
  }
  const letter = String.fromCodePoint(text.codePointAt(1) ?? 0);
  const code = letter.charCodeAt(0);
  const name = code < 0x20 || code === 0x7f ? controlName(code) : letter.toLowerCase();
  return { keys: [withAlt(press(name))], length: 1 + letter.length };
}

function withAlt(key: Key): Key {
  return key.type === 'press' && key.name !== 'escape' && !key.name.startsWith('alt-') ? press(`alt-${key.name}`) : key;
}

function takeSingleShift(text: string, settled: boolean): Taken {
  const letter = text[2];
  if (letter === undefined) return settled ? { keys: [press('alt-o')], length: 2 } : needsMore;
  const name = letter === 'M' ? 'enter' : finalNames[letter];
  return { keys: name === undefined ? [] : [press(name)], length: 3 };
}

function takeControlSequence(text: string, settled: boolean): Taken {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences start with it
  const [sequence, parameters = '', final = ''] = /^\x1b\[([\x20-\x3f]*)([\x40-\x7e])/.exec(text) ?? [];
  if (sequence === undefined) {
    // A control character or a timeout aborts a sequence.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
    const length = /^\x1b\[[\x20-\x3f]*/.exec(text)?.[0].length ?? 2;
    return length < text.length || settled || length > maxSequence ? { keys: [], length } : needsMore;
  }
  if (parameters === '200' && final === '~') return { keys: [pasteBegins], length: sequence.length };
  const key = controlSequenceKey(parameters, final);
  return { keys: key === undefined ? [] : [key], length: sequence.length };
}

function controlSequenceKey(parameters: string, final: string): Key | undefined {
  const [first = '', second = '', third = ''] = parameters.split(';');
  if (final === '~' && first === '27') return modifiedCode(third, second);
  if (final === 'u') return modifiedCode(first, second);
  const name = final === '~' ? tildeNames[first] : finalNames[final];
  return name === undefined ? undefined : press(modifierOf(second) + name);
}

/** Keys sent as a character code with modifiers (xterm's modifyOtherKeys, kitty's protocol). */
function modifiedCode(codeText: string, modifiers: string): Key | undefined {
  const code = Number(codeText.split(':')[0]);
  if (!Number.isInteger(code) || code <= 0 || code > 0x10ffff) return undefined;
  const modifier = modifierOf(modifiers);
  // With any modifier, even Shift, Enter inserts a line break.
  if (code === 13) return press(/^1?$/.test(modifiers) ? 'enter' : 'newline');
  if (code === 27) return press('escape');
  if (code === 9 || code === 127) return press(modifier + controlName(code));
  const letter = String.fromCodePoint(code);
  return modifier === '' ? { type: 'text', text: letter } : press(modifier + letter);
}

/** The number is 1 plus the sum of 1 for Shift, 2 for Alt and 4 for Ctrl. Shift is ignored. */
function modifierOf(text: string): string {
  const bits = Math.max(Number.parseInt(text, 10) || 1, 1) - 1;
  return (bits & 4 ? 'ctrl-' : '') + (bits & 2 ? 'alt-' : '');
}

function takeString(text: string, settled: boolean): Taken {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the terminators
  const end = /\x07|\x1b\\/.exec(text.slice(2));
  if (end !== null) return { keys: [], length: 2 + end.index + end[0].length };
  // Without further input it was Alt with one of these letters.
  if (settled) return text.length === 2 ? takeAlternate(text, settled) : { keys: [], length: text.length };
  return text.length > maxString ? { keys: [], length: text.length } : needsMore;
}
