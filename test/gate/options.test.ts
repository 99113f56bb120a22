// A row of the option table that the runner does not implement must not compile.

import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

const tablePath = repository('src/models/options.ts');
const readers = [
  'src/inference/runner/load/load-settings.ts',
  'src/inference/runner/generate/sequence/request-settings.ts',
].map(repository);

const parsed = new Map<string, ts.SourceFile | undefined>();

/** The compiler's errors in the files that read the options, with `row` added to the table. */
function compileWith(row: string): string[] {
  const { config } = ts.readConfigFile(repository('tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, repository('.'));
  const host = ts.createCompilerHost(options);
  const tableEnd = '} satisfies Record<string, OptionRow>;';
  const table = readFileSync(tablePath, 'utf8').replace(tableEnd, `${row}\n${tableEnd}`);
  const parse = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...rest) => {
    if (path === tablePath) return ts.createSourceFile(path, table, rest[0]);
    if (!parsed.has(path)) parsed.set(path, parse(path, ...rest));
    return parsed.get(path);
  };
  // Only their own imports: the rest of the program does not matter here, and takes seconds.
  const program = ts.createProgram(readers, { ...options, types: ['node'] }, host);
  expect(program.getSourceFile(tablePath)?.text).toContain(row);
  return readers.flatMap((path) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(path))
      .map(({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
  );
}

test('the table as it is compiles', () => {
  expect(compileWith('')).toEqual([]);
});

test.each([
  ['load', 'src/inference/runner/load/load-settings.ts'],
  ['sample', 'src/inference/runner/generate/sequence/request-settings.ts'],
])('a new %s option does not compile until the runner reads it', (scope, reader) => {
  const errors = compileWith(`  brandNew: int({ default: 0, scope: '${scope}', help: 'Not implemented.' }),`);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(repository(reader));
  expect(errors[0]).toContain('brandNew');
});
