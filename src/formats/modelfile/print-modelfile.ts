// Commands → the text of a Modelfile, which parses back to the same commands.
//
// A text is written bare where it can be, else in quotes, else in triple quotes, which can hold all that any of the
// three can. What none of them can hold, because the format has no escapes:
//   - a line that ends with `"""` and is not the last one: the text would end there;
//   - characters that readers of Modelfiles drop: control characters other than tab and newlines, no-break spaces,
//     zero-width joiners …

import { HearthError } from '../../base/errors.ts';
import { findIgnored } from './decode-modelfile.ts';
import { badRequires, excerpt, isVersion, limits, type Modelfile, type ModelfileCommand, noFrom } from './modelfile.ts';

/** Throws `unsupported` where parsing the text would not give these commands back. */
export function printModelfile(modelfile: Modelfile): string {
  const { commands } = modelfile;
  for (const command of commands) checkCommand(command);
  if (!commands.some(({ kind }) => kind === 'from')) throw unsupported(noFrom);
  if (commands.length > limits.commands) {
    throw unsupported(`a Modelfile can have at most ${limits.commands} instructions`);
  }
  const text = formatModelfile(modelfile);
  if (Buffer.byteLength(text) > limits.bytes) {
    throw unsupported(`a Modelfile can have at most ${limits.bytes} bytes`);
  }
  return text;
}

/**
 * The text that comes nearest, for people to read: the same as printed where it can be printed, and never an error. What
 * the format cannot hold stands in it all the same.
 */
export function formatModelfile({ commands }: Modelfile): string {
  return commands.map((command) => `${formatCommand(command)}\n`).join('');
}

function formatCommand(command: ModelfileCommand): string {
  const word = command.kind.toUpperCase();
  switch (command.kind) {
    case 'parameter':
      return `${word} ${command.name} ${formatText(command.value)}`;
    case 'message':
      return `${word} ${command.role} ${formatText(command.content)}`;
    default:
      return `${word} ${formatText(command.value)}`;
  }
}

function formatText(text: string): string {
  const bare = text !== '' && !/[\r\n]/.test(text) && text === text.trim() && !text.startsWith('"');
  if (bare) return text;
  return text.includes('"') ? `"""${text}"""` : `"${text}"`;
}

function checkCommand(command: ModelfileCommand): void {
  const word = command.kind.toUpperCase();
  const text = command.kind === 'message' ? command.content : command.value;
  if (command.kind === 'parameter' && !/^[A-Za-z0-9_]*$/.test(command.name)) {
    throw unsupported(`a Modelfile cannot hold a parameter named ${JSON.stringify(excerpt(command.name))}`);
  }
  if (command.kind === 'requires' && !isVersion(text)) throw unsupported(badRequires);
  const character = findIgnored(text);
  if (character !== undefined) {
    throw unsupported(`the text of ${word} holds the character ${character}, which a Modelfile cannot hold`);
  }
  if (/"""[ \t]*[\r\n]/.test(text)) {
    throw unsupported(`a line of ${word} ends with """, which would end its text in a Modelfile`);
  }
}

function unsupported(message: string): HearthError {
  return new HearthError('unsupported', message);
}
