import { expect, test } from 'vitest';
import { instructionTable } from './instruction-table.ts';
import { parametersOf } from './parameters.ts';
import { parseModelfile } from './parse-modelfile.ts';

test.each(Object.entries(instructionTable))('the example of %s is what it says', (kind, { example }) => {
  const modelfile = parseModelfile(kind === 'from' ? example : `FROM ember\n${example}`);
  expect(modelfile.commands.at(-1)?.kind).toBe(kind);
  expect(() => parametersOf(modelfile)).not.toThrow();
});
