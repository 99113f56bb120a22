// Writes commands as a Modelfile that parses to the same commands.
//
// A text is written bare if possible, otherwise in quotes, otherwise in triple quotes. The format has no escapes, so it
// cannot represent:
//   - a line that ends with `"""` and is not the last one: the text would end there;
//   - characters that parsers of Modelfiles drop: control characters other than tab and newlines, no-break spaces,
//     zero-width joiners …

import { HearthError } from '../../base/errors.ts';
import { isEngineName } from '../../models/engine-parameters.ts';
import { findUnsupported } from './decode-modelfile.ts';
import {
  badEngine,
  badRequires,
  excerpt,
  isVersion,
  type Modelfile,
  type ModelfileCommand,
  modelfileLimits,
  noFrom,
} from './modelfile.ts';

/** Throws `unsupported` if the text would not parse to the same commands. */
export function printModelfile(modelfile: Modelfile): string {
  const { commands } = modelfile;
  for (const command of commands) checkCommand(command);
  if (!commands.some(({ kind }) => kind === 'from')) throw unsupported(noFrom);
  if (commands.length > modelfileLimits.commands) {
    throw unsupported(`a Modelfile can have at most ${modelfileLimits.commands} instructions`);
  }
  const text = formatModelfile(modelfile);
  if (Buffer.byteLength(text) > modelfileLimits.bytes) {
    throw unsupported(`a Modelfile can have at most ${modelfileLimits.bytes} bytes`);
  }
  return text;
}

/** For display: like printModelfile, but without checks, so the text may not parse to the same commands. */
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
    throw unsupported(`a Modelfile cannot contain a parameter named ${JSON.stringify(excerpt(command.name))}`);
  }
  if (command.kind === 'requires' && !isVersion(text)) throw unsupported(badRequires);
  if (command.kind === 'engine' && !isEngineName(text)) throw unsupported(badEngine);
  const character = findUnsupported(text);
  if (character !== undefined) {
    throw unsupported(`the text of ${word} contains the character ${character}, which a Modelfile cannot contain`);
  }
  if (/"""[ \t]*[\r\n]/.test(text)) {
    throw unsupported(`a line of ${word} ends with """, which would end its text in a Modelfile`);
  }
}

function unsupported(message: string): HearthError {
  return new HearthError('unsupported', message);
}
