import { describe, expect, test } from 'vitest';
import { parseModelfile } from '../../formats/modelfile/parse-modelfile.ts';
import { nameFiles } from './find-sources.ts';
import { type Origin, planCreate } from './plan-create.ts';

const model: Origin = { kind: 'model', name: 'ember' };
const blob = (file: string): Origin => ({ kind: 'blob', file, digest: `sha256:${'0'.repeat(64)}` });
const plan = (
  text: string,
  from: readonly Origin[],
  adapters: readonly Origin[] = [],
  drafts: readonly Origin[] = [],
) => planCreate(parseModelfile(text), { from, adapters, drafts });

describe('planCreate', () => {
  test('FROM a model adds nothing else', () => {
    expect(plan('FROM ember\n', [model])).toEqual({ request: { from: 'ember' }, warnings: [] });
  });

  test('the last SYSTEM wins; licenses, messages and stop sequences accumulate', () => {
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

  test('files are sent as digests, never as paths', () => {
    const { request } = plan('FROM ./a.gguf\nADAPTER ./b.gguf\n', [blob('a.gguf')], [blob('b.gguf')]);
    expect(request).toEqual({
      files: { 'a.gguf': `sha256:${'0'.repeat(64)}` },
      adapters: { 'b.gguf': `sha256:${'0'.repeat(64)}` },
    });
  });

  test('a model with a file is sent as a Modelfile, since the request has no other form for it', () => {
    const { request } = plan('FROM ember\nFROM ./projector.gguf\nSYSTEM Look.\n', [model, blob('projector.gguf')]);
    expect(request).toEqual({ modelfile: `FROM ember\nFROM @sha256:${'0'.repeat(64)}\nSYSTEM Look.\n` });
  });

  test('a draft model is sent by its name or as a digest', () => {
    expect(plan('FROM big\nDRAFT ember\n', [model], [], [model]).request).toMatchObject({ draft: 'ember' });
    expect(plan('FROM big\nDRAFT ./a.gguf\n', [model], [], [blob('a.gguf')]).request).toMatchObject({
      draft_files: { 'a.gguf': `sha256:${'0'.repeat(64)}` },
    });
    const { request } = plan('FROM a\nFROM ./p.gguf\nDRAFT b\n', [model, blob('p.gguf')], [], [blob('b.gguf')]);
    expect(request.modelfile).toContain(`DRAFT @sha256:${'0'.repeat(64)}`);
  });

  test('a renderer and a parser', () => {
    const { request } = plan('FROM ember\nRENDERER qwen3.5\nPARSER a\nPARSER qwen3.5\n', [model]);
    expect(request).toMatchObject({ renderer: 'qwen3.5', parser: 'qwen3.5' });
  });

  test('a deprecated parameter is a warning, an adapter that is no file is an error', () => {
    expect(plan('FROM ember\nPARAMETER f16_kv true\n', [model]).warnings).toEqual([
      'parameter f16_kv is deprecated and ignored',
    ]);
    expect(() => plan('FROM ember\nADAPTER other\n', [model], [model])).toThrow('ADAPTER must name a file or a folder');
  });
});

test('files with the same name from two folders get different names', () => {
  expect(nameFiles(['/a/x.gguf', '/b/x.gguf', '/c/y.gguf'])).toEqual(['x.gguf', '2-x.gguf', 'y.gguf']);
});
