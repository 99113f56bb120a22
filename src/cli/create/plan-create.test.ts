import { describe, expect, test } from 'vitest';
import { parseModelfile } from '../../formats/modelfile/parse-modelfile.ts';
import { nameFiles } from './find-sources.ts';
import { type Origin, planCreate } from './plan-create.ts';

const model: Origin = { kind: 'model', name: 'ember' };
const blob = (file: string): Origin => ({ kind: 'blob', file, digest: `sha256:${'0'.repeat(64)}` });
const plan = (text: string, from: readonly Origin[], adapters: readonly Origin[] = []) =>
  planCreate(parseModelfile(text), { from, adapters });

describe('a Modelfile becomes a request', () => {
  test('from a model: only what it says', () => {
    expect(plan('FROM ember\n', [model])).toEqual({ request: { from: 'ember' }, warnings: [] });
  });

  test('of texts the last one counts, of licences and messages all', () => {
    const text =
      'FROM x\nSYSTEM a\nSYSTEM b\nLICENSE one\nLICENSE two\nMESSAGE user hi\nPARAMETER stop x\nPARAMETER stop y\n';
    expect(plan(text, [model]).request).toEqual({
      from: 'ember',
      system: 'b',
      license: ['one', 'two'],
      messages: [{ role: 'user', content: 'hi' }],
      parameters: { stop: ['x', 'y'] },
    });
  });

  test('from files: by their digests, never by their paths', () => {
    const { request } = plan('FROM ./a.gguf\nADAPTER ./b.gguf\n', [blob('a.gguf')], [blob('b.gguf')]);
    expect(request).toEqual({
      files: { 'a.gguf': `sha256:${'0'.repeat(64)}` },
      adapters: { 'b.gguf': `sha256:${'0'.repeat(64)}` },
    });
  });

  test('from a model and a file: as a Modelfile, for which there is no other form', () => {
    const { request } = plan('FROM ember\nFROM ./eyes.gguf\nSYSTEM Look.\n', [model, blob('eyes.gguf')]);
    expect(request).toEqual({ modelfile: `FROM ember\nFROM @sha256:${'0'.repeat(64)}\nSYSTEM Look.\n` });
  });

  test('what no longer does anything is a warning, what cannot be done an error', () => {
    expect(plan('FROM ember\nPARAMETER f16_kv true\n', [model]).warnings).toEqual([
      'parameter f16_kv no longer does anything and is left out',
    ]);
    expect(() => plan('FROM ember\n\nPARSER x\n', [model])).toThrow('(line 3): PARSER is not supported');
    expect(() => plan('FROM ember\nADAPTER other\n', [model], [model])).toThrow('ADAPTER must name a GGUF file');
  });
});

test('files of one name from two folders stay two', () => {
  expect(nameFiles(['/a/x.gguf', '/b/x.gguf', '/c/y.gguf'])).toEqual(['x.gguf', '2-x.gguf', 'y.gguf']);
});
