// What Ollama's source says: the names of renderers and parsers, and the answers in the tests of parsers. Nothing of it is in
// this repository: HEARTH_OLLAMA_RENDERERS is a folder with that source.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const source = process.env['HEARTH_OLLAMA_RENDERERS'] ?? '';

export const rendererNames = namesIn('model/renderers/renderer.go');
export const parserNames = namesIn('model/parsers/parsers.go');

function namesIn(file: string): readonly string[] {
  const cases = readFileSync(join(source, file), 'utf8').matchAll(/^\tcase (".*"):$/gm);
  return [...cases].flatMap(([, names = '']) => names.split(', ').map((name) => JSON.parse(name) as string));
}

/** The answers in the test of a parser, whose steps are joined. Many of these tests do not use the parser's methods. */
export function readTestAnswers(type: string): readonly string[] {
  const files = filesOf(type).map((file) => file.slice(0, -'.go'.length));
  const tests = ['model/parsers', 'harmony'].flatMap((folder) =>
    readdirSync(join(source, folder))
      .filter((name) => files.includes(name.replace(/(?:_(?:non)?thinking)?_test\.go$/, '')))
      .map((name) => readFileSync(join(source, folder, name), 'utf8')),
  );
  const literal = /"(?:[^"\\\n]|\\.)*"|`[^`]*`/g;
  const texts = tests.flatMap((test) =>
    test.split(/\b(?:desc|name): /).map((part) => {
      const inputs = part.matchAll(
        /\binput: +((?:"(?:[^"\\\n]|\\.)*"|`[^`]*`)(?: \+\s+(?:"(?:[^"\\\n]|\\.)*"|`[^`]*`))*)/g,
      );
      return [...inputs].flatMap(([, input = '']) => (input.match(literal) ?? []).map(unquote)).join('');
    }),
  );
  return [...new Set(texts)].filter((text) => text !== '');
}

/** The files that declare a type and the types that it embeds. */
function filesOf(type: string): readonly string[] {
  for (const folder of ['model/parsers', 'harmony']) {
    for (const name of readdirSync(join(source, folder))) {
      if (!name.endsWith('.go') || name.endsWith('_test.go')) continue;
      const text = readFileSync(join(source, folder, name), 'utf8');
      const declared = new RegExp(`^type ${type} struct \\{([^}]*)`, 'm').exec(text);
      if (declared === null) continue;
      const embedded = (declared[1] ?? '').matchAll(/^\t(\w+)$/gm);
      return [name, ...[...embedded].flatMap(([, inner = '']) => filesOf(inner))];
    }
  }
  return [];
}

function unquote(literal: string): string {
  if (literal.startsWith('`')) return literal.slice(1, -1);
  return JSON.parse(literal.replace(/\\x(..)/g, '\\u00$1').replace(/\\'/g, "'")) as string;
}
