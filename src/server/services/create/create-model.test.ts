import { writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collect, createComputeHere, createServiceFixture } from '../../../../test/support/service-fixture.ts';
import { digestOf } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { silentLogger } from '../../../base/logger.ts';
import type { QuantizeFile } from '../../../inference/engine/quantize-file.ts';
import type { OpenModel } from '../../../inference/model/model.ts';
import { parseModelName, parseRequestedModel } from '../../../models/name.ts';
import { type ManifestLayer, mediaTypes } from '../../../models/store/manifests/manifest.ts';
import type { ModelTransfer, PullModel } from '../management/pull-model.ts';
import { openModel, readLicenses } from '../models/open-model.ts';
import { type CreateInput, createCreateModel } from './create-model.ts';
import type { ConvertFiles } from './model-sources.ts';
import type { RecipeFields } from './recipe.ts';
import type { DescribeRemote } from './remote-model.ts';

const fixture = createServiceFixture();
const { store } = fixture;
const never = new AbortController().signal;

const unusedQuantize: QuantizeFile = async () => {
  throw new Error('not expected');
};
const unusedConvert: ConvertFiles = async () => {
  throw new Error('not expected');
};
const unusedRemote = async (): Promise<never> => {
  throw new Error('no remote is asked');
};
const unusedPull = () => {
  throw new Error('not expected');
};

beforeAll(() =>
  fixture.putModel('base', {
    template: 'base {{ .Prompt }}',
    system: 'Be brief.',
    parameters: { temperature: 0.5, top_k: 3 },
    messages: [{ role: 'user', content: 'first' }],
    license: 'MIT',
  }),
);
afterAll(() => fixture.remove());

function inputOf(name: string, fields: Partial<RecipeFields>, input: Partial<CreateInput> = {}): CreateInput {
  return {
    name: parseModelName(name),
    quantization: undefined,
    modelfile: '',
    path: '',
    localFiles: false,
    fields: { from: '', files: {}, adapters: {}, parameters: {}, licenses: [], ...fields },
    ...input,
  };
}

interface Doubles {
  readonly quantizeFile?: QuantizeFile;
  readonly convertFiles?: ConvertFiles;
  readonly pullModel?: PullModel;
  readonly describeRemote?: DescribeRemote;
  readonly signal?: AbortSignal;
}

function start(
  input: CreateInput,
  {
    quantizeFile = unusedQuantize,
    convertFiles = unusedConvert,
    pullModel = unusedPull,
    describeRemote = unusedRemote,
    signal = never,
  }: Doubles = {},
) {
  const compute = createComputeHere();
  return createCreateModel({
    store,
    quantizeFile,
    convertFiles,
    pullModel,
    pullPackage: unusedPull,
    describeRemote,
    compute,
    logger: silentLogger,
  })(input, signal);
}

async function create(input: CreateInput, doubles?: Doubles): Promise<string[]> {
  return (await collect(start(input, doubles))).map(({ status }) => status);
}

const open = (name: string): Promise<OpenModel> => openModel(store, parseRequestedModel(name));
const layersOf = async (name: string) => (await store.find(parseModelName(name)))?.manifest.layers ?? [];

async function upload(metadata: Parameters<typeof fixture.gguf>[0] = {}): Promise<string> {
  return (await store.putBlob(fixture.gguf(metadata), mediaTypes.model)).digest;
}

describe('from a base model', () => {
  test('everything is inherited, and the weights are shared', async () => {
    const statuses = await create(inputOf('copy', { from: 'base' }));
    const [base, copy] = [await open('base'), await open('copy')];
    expect(copy).toMatchObject({
      files: { key: base.files.key },
      template: 'base {{ .Prompt }}',
      system: 'Be brief.',
      parameters: { temperature: 0.5, top_k: 3 },
      messages: [{ role: 'user', content: 'first' }],
      parentModel: 'base:latest',
    });
    expect(statuses[0]).toBe('reading model metadata');
    expect(statuses).toContain(`using already created layer ${base.digests[0]}`);
    expect(statuses.slice(-2)).toEqual(['writing manifest', 'success']);
  });

  test('a renderer of Ollama is inherited, unless there is another template', async () => {
    await fixture.putModel('rendered', { template: '{{ .Prompt }}', renderer: 'qwen3-coder', parser: 'qwen3-coder' });
    await create(inputOf('same-renderer', { from: 'rendered', system: 'Be brief.' }));
    expect(await open('same-renderer')).toMatchObject({ renderer: 'qwen3-coder', parser: 'qwen3-coder' });
    await create(inputOf('other-parser', { from: 'rendered', parser: 'qwen3' }));
    expect(await open('other-parser')).toMatchObject({ renderer: 'qwen3-coder', parser: 'qwen3' });
    await create(inputOf('own-template', { from: 'rendered', template: 'user: {{ .Prompt }}' }));
    expect((await open('own-template')).renderer).toBe('');
  });

  test('texts and messages are replaced, parameters are merged, licenses are added', async () => {
    const statuses = await create(
      inputOf('changed', {
        from: 'base',
        template: 'new {{ .Prompt }}',
        system: 'Be long.',
        messages: [{ role: 'user', content: 'second' }],
        parameters: { top_k: 9, stop: ['END'] },
        licenses: ['Apache'],
      }),
    );
    expect(await open('changed')).toMatchObject({
      template: 'new {{ .Prompt }}',
      system: 'Be long.',
      parameters: { temperature: 0.5, top_k: 9, stop: ['END'] },
      options: { temperature: 0.5, topK: 9, stop: ['END'] },
      messages: [{ role: 'user', content: 'second' }],
    });
    const stored = await store.find(parseModelName('changed'));
    expect(stored && (await readLicenses(store, stored))).toEqual(['MIT', 'Apache']);
    expect(statuses).toContain('creating system layer');
  });

  test('a Modelfile does the same', async () => {
    const modelfile = 'FROM base\nSYSTEM """Be odd."""\nPARAMETER num_ctx 128\nMESSAGE user hi\nMESSAGE assistant ho';
    await create(inputOf('from-modelfile', {}, { modelfile }));
    expect(await open('from-modelfile')).toMatchObject({
      system: 'Be odd.',
      options: { numCtx: 128, topK: 3 },
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'ho' },
      ],
    });
  });

  test('a missing base is pulled, with the name as it was written', async () => {
    const pulled: ModelTransfer[] = [];
    const pullModel: PullModel = async function* (input) {
      pulled.push(input);
      yield { status: 'pulling manifest' };
      await fixture.putModel('http://Remote', { system: 'pulled' });
      yield { status: 'success' };
    };
    const statuses = await create(inputOf('from-remote', { from: 'http://Remote' }), { pullModel });
    expect(pulled).toMatchObject([{ model: { text: 'http://Remote', name: { model: 'Remote' } }, insecure: false }]);
    expect(statuses.slice(0, 2)).toEqual(['reading model metadata', 'pulling manifest']);
    expect(statuses.filter((status) => status === 'success')).toHaveLength(1);
    expect((await open('from-remote')).system).toBe('pulled');
  });
});

describe('from uploaded files', () => {
  const clip = { 'general.architecture': { type: 'string', value: 'clip' } } as const;
  const adapter = { 'general.type': { type: 'string', value: 'adapter' } } as const;

  test('the kind of each file is found in its header', async () => {
    const files = { 'model.gguf': await upload(), 'vision.gguf': await upload(clip) };
    await create(inputOf('uploaded', { files, parameters: { temperature: 0 } }));
    const model = await open('uploaded');
    expect(model).toMatchObject({ template: undefined, system: '', options: { temperature: 0 }, messages: [] });
    expect(model.files).toHaveProperty('projectorPath');
    expect((await layersOf('uploaded')).map(({ mediaType }) => mediaType)).toEqual([
      mediaTypes.model,
      mediaTypes.projector,
      mediaTypes.params,
    ]);
  });

  test('architectures with one chat format get its renderer and parser, unless the author decides', async () => {
    const gemma = { 'model.gguf': await upload({ 'general.architecture': { type: 'string', value: 'gemma4' } }) };
    await create(inputOf('gemma', { files: gemma }));
    expect(await open('gemma')).toMatchObject({ renderer: 'gemma4', parser: 'gemma4', options: { stop: ['<turn|>'] } });
    await create(inputOf('own', { files: gemma, parser: 'passthrough', parameters: { stop: 'x' } }));
    expect(await open('own')).toMatchObject({ renderer: 'gemma4', parser: 'passthrough', options: { stop: ['x'] } });
    await create(inputOf('templated', { files: gemma, template: '{{ .Prompt }}' }));
    expect(await open('templated')).toMatchObject({ renderer: '', parser: '' });
    expect(await open('uploaded')).toMatchObject({ renderer: '', parser: '' });
  });

  test('an adapter is added to a base model', async () => {
    await create(inputOf('adapted', { from: 'base', adapters: { 'a.gguf': await upload(adapter) } }));
    const { files } = await open('adapted');
    expect(files).toHaveProperty('adapterPaths.length', 1);
    expect(files.key).not.toBe((await open('base')).files.key);
  });

  describe('a draft model', () => {
    const vocabulary = (...tokens: readonly string[]) =>
      ({
        'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
        'tokenizer.ggml.tokens': { type: 'strings', value: ['a', 'b', 'c', 'd', 'e', ...tokens] },
      }) as const;
    const draftOf = async (name: string) =>
      (await layersOf(name)).filter(({ mediaType }) => mediaType === mediaTypes.draft);
    beforeAll(async () => {
      await fixture.putModel('target', {
        metadata: { ...vocabulary('x'), 'general.name': { type: 'string', value: 't' } },
      });
      await fixture.putModel('small', { metadata: vocabulary('x') });
      await fixture.putModel('foreign', { metadata: vocabulary('y') });
    });

    test('is the weights of another model, and is kept by models that are made from it', async () => {
      await create(inputOf('drafted', { from: 'target', draft: 'small' }));
      const { digest } = (await layersOf('small'))[0] as ManifestLayer;
      expect(await draftOf('drafted')).toMatchObject([{ digest, from: 'small:latest' }]);
      await create(inputOf('derived', { from: 'drafted', system: 'Be brief.' }));
      expect(await draftOf('derived')).toMatchObject([{ digest }]);
      expect((await open('derived')).files.key).toBe((await open('target')).files.key);
    });

    test('is an uploaded file, which replaces the one of the base model', async () => {
      const digest = await upload({ ...vocabulary('x'), 'general.name': { type: 'string', value: 'uploaded' } });
      await create(inputOf('replaced', { from: 'drafted', draftFiles: { 'small.gguf': digest } }));
      expect(await draftOf('replaced')).toMatchObject([{ digest }]);
    });

    test('comes from a Modelfile', async () => {
      await create(inputOf('written', {}, { modelfile: 'FROM target\nDRAFT small\n' }));
      expect(await draftOf('written')).toHaveLength(1);
    });

    test.each<[string, Partial<RecipeFields>, string]>([
      ['another vocabulary', { draft: 'foreign' }, 'does not fit: token 5 is "y" instead of "x"'],
      ['no such model', { draft: 'missing' }, 'draft model "missing" not found; pull it first'],
      ['two files', { draftFiles: { a: digestOf('a'), b: digestOf('b') } }, 'a draft model must be one GGUF file'],
    ])('is refused: %s', async (_, fields, message) => {
      await expect(create(inputOf('refused', { from: 'target', ...fields }))).rejects.toThrow(message);
    });

    test('is refused if its file has a token twice', async () => {
      const draftFiles = { 'a.gguf': await upload(vocabulary('x', 'x')) };
      await expect(create(inputOf('refused', { from: 'target', draftFiles }))).rejects.toThrow('has "x" twice');
    });

    test('is refused if its file is not a model', async () => {
      const fields = { from: 'target', draftFiles: { 'a.gguf': await upload(adapter) } };
      await expect(create(inputOf('refused', fields))).rejects.toThrow('does not contain model weights');
    });
  });

  test('weights with a token twice are refused, before they are quantized', async () => {
    const weights = async (...value: readonly string[]) =>
      ({ 'a.gguf': await upload({ 'tokenizer.ggml.tokens': { type: 'strings', value } }) }) as const;
    const input = inputOf('twice', { files: await weights('a', 'b', 'c', 'b') }, { quantization: 'Q4_K_M' });
    await expect(create(input)).rejects.toMatchObject({
      code: 'bad_request',
      message: 'not a usable GGUF file: tokenizer.ggml.tokens has "b" twice, at 1 and 3',
    });
    expect(await layersOf('twice')).toEqual([]);
    await create(inputOf('once', { files: await weights('a', 'b', '', '') }));
  });

  test.each<[string, () => Promise<Partial<RecipeFields>>, string | RegExp]>([
    ['no source', async () => ({}), "neither 'from' or 'files' was specified"],
    [
      'an unknown blob',
      async () => ({ files: { a: digestOf('nothing') } }),
      'not found; create it with POST /api/blobs',
    ],
    ['an invalid digest', async () => ({ files: { a: 'sha256:1' } }), 'invalid digest format'],
    ['an absolute path', async () => ({ files: { '/a': digestOf('') } }), 'file path must be relative'],
    ['a parent folder', async () => ({ files: { 'a/../../b': digestOf('') } }), 'file path must be relative'],
    [
      'a file that is not GGUF',
      async () => ({ files: { a: (await store.putBlob(Buffer.from('text'), '')).digest } }),
      'supplied file was not in GGUF format; weights must be GGUF files, or safetensors files',
    ],
    [
      'a truncated GGUF file',
      async () => ({ files: { a: (await store.putBlob(fixture.gguf({}).subarray(0, 20), '')).digest } }),
      /^not a usable GGUF file: [^;]*$/,
    ],
    [
      'a projector alone',
      async () => ({ files: { a: await upload(clip) } }),
      'none of the files contains model weights',
    ],
    [
      'two models',
      async () => ({ files: { a: await upload(), b: await upload({ x: { type: 'u32', value: 1 } }) } }),
      'more than one of the files contains model weights',
    ],
    [
      'weights as an adapter',
      async () => ({ from: 'base', adapters: { a: await upload() } }),
      'the file of ADAPTER is not an adapter',
    ],
    [
      'two adapters',
      async () => ({
        from: 'base',
        adapters: { a: await upload(adapter), b: await upload({ ...adapter, x: { type: 'u32', value: 1 } }) },
      }),
      'only one adapter is currently supported',
    ],
    [
      'a wrong parameter',
      async () => ({ from: 'base', parameters: { top_k: 'many' } }),
      'option "top_k" must be of type integer',
    ],
    ['a wrong template', async () => ({ from: 'base', template: '{{ if }}' }), 'template error: '],
  ])('%s is rejected, and nothing is created', async (_, fields, message) => {
    await expect(create(inputOf('rejected', await fields()))).rejects.toThrow(message);
    expect(await store.find(parseModelName('rejected'))).toBeUndefined();
  });

  test('the error of a template names its line in the Modelfile', async () => {
    const modelfile = 'FROM base\n\nTEMPLATE """{{ if }}"""\n';
    await expect(create(inputOf('rejected', {}, { modelfile }))).rejects.toThrow(/^\(line 3\): template error: /);
  });
});

describe('from files on the machine of the server', () => {
  const path = join(fixture.root, 'local.gguf');
  beforeAll(() => writeFileSync(path, fixture.gguf({ x: { type: 'u32', value: 5 } })));

  test('for clients on that machine', async () => {
    await create(inputOf('local', {}, { modelfile: `FROM ${path}`, localFiles: true }));
    const relative = inputOf('relative', {}, { modelfile: 'FROM ./local.gguf', path: join(fixture.root, 'Modelfile') });
    await create({ ...relative, localFiles: true });
    expect((await open('relative')).files.key).toBe((await open('local')).files.key);
  });

  test('for no other clients', async () => {
    await expect(create(inputOf('remote', {}, { modelfile: `FROM ${path}` }))).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('upload them with POST /api/blobs'),
    });
    await expect(create(inputOf('remote', {}, { path: '/etc/hosts' }))).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('quantization', () => {
  const f16 = { 'general.file_type': { type: 'u32', value: 1 } } as const;

  test('replaces the weights', async () => {
    const quantizeFile: QuantizeFile = async ({ source, target, fileType, onProgress }) => {
      expect(fileType).toBe(7);
      onProgress(1, 2);
      await copyFile(source, target);
      writeFileSync(target, fixture.gguf({ 'general.file_type': { type: 'u32', value: 7 } }));
    };
    const digest = await upload(f16);
    const input = inputOf('quantized', { files: { a: digest } }, { quantization: 'Q8_0' });
    const statuses = await create(input, { quantizeFile });
    expect(statuses).toContain('quantizing F16 model to Q8_0');
    const { digests } = await open('quantized');
    expect(digests).not.toContain(digest);
    expect(statuses).toContain(`creating new layer ${digests[0]}`);
  });

  test('needs weights that are not quantized', async () => {
    const files = { a: await upload({ 'general.file_type': { type: 'u32', value: 7 } }) };
    await expect(create(inputOf('twice', { files }, { quantization: 'Q4_0' }))).rejects.toThrow(
      'quantization is only supported for F16, BF16 and F32 models',
    );
  });
});

test('a replaced model keeps its name until the end, and its unused blobs are removed', async () => {
  await create(inputOf('replaced', { from: 'base', system: 'the old system text' }));
  const [old] = (await layersOf('replaced')).filter(({ mediaType }) => mediaType === mediaTypes.system);
  const events = start(inputOf('replaced', { from: 'base', system: 'the new system text' }));
  for await (const { status } of events) {
    const { system } = await open('replaced');
    expect(system).toBe(status === 'success' ? 'the new system text' : 'the old system text');
  }
  expect(old && (await store.hasBlob(old.digest))).toBe(false);
});

test('an abort creates nothing', async () => {
  const controller = new AbortController();
  const events = start(inputOf('aborted', { from: 'base', system: 'x' }), { signal: controller.signal });
  await events.next();
  controller.abort();
  await expect(collect(events)).rejects.toMatchObject({ code: 'cancelled', message: 'request canceled' });
  expect(await store.find(parseModelName('aborted'))).toBeUndefined();
});

test.each(['a b', 'a//b', 'ünïcode', 'b?c'])('from %j is an invalid name, and no folder is named', async (from) => {
  for (const localFiles of [true, false])
    await expect(create(inputOf('x', { from }, { localFiles }))).rejects.toMatchObject({
      code: 'bad_request',
      message: 'invalid model name',
    });
});

describe('models of remotes', () => {
  const describeRemote: DescribeRemote = async () => ({ capabilities: ['completion', 'vision'], contextLength: 2048 });

  test('FROM remote:// stores a layer with two names instead of weights', async () => {
    await create(inputOf('far', { from: 'remote://gpu/org/llama', system: 'Be brief.' }), { describeRemote });
    const model = await open('far');
    expect(model).toMatchObject({ system: 'Be brief.', template: undefined, digests: [] });
    expect(model.files).toEqual({
      kind: 'remote',
      key: expect.stringContaining('remote sha256:'),
      remote: 'gpu',
      model: 'org/llama',
      capabilities: ['completion', 'vision'],
      contextLength: 2048,
    });
    const [layer] = await layersOf('far');
    expect(layer?.mediaType).toBe(mediaTypes.remote);
    expect((await store.readBlob(layer as ManifestLayer)).toString()).toBe('{"remote":"gpu","model":"org/llama"}\n');
  });

  test('a model that is based on one is one, too, and the remote is not asked again', async () => {
    await create(inputOf('far', { from: 'remote://gpu/llama' }), { describeRemote });
    await create(inputOf('farther', { from: 'far', parameters: { temperature: 0 } }));
    const [far, farther] = [await open('far'), await open('farther')];
    expect(farther.files).toEqual(far.files);
    expect(farther.options).toEqual({ temperature: 0 });
  });

  test('it has no adapters and is not quantized', async () => {
    const adapted = inputOf('far', { from: 'remote://gpu/llama', adapters: { 'a.gguf': await upload() } });
    await expect(create(adapted, { describeRemote })).rejects.toThrow('a model of a remote has no files');
  });

  test('a remote that does not have the model is an error', async () => {
    const refuse: DescribeRemote = async () => {
      throw new HearthError('bad_request', 'no such model');
    };
    await expect(create(inputOf('none', { from: 'remote://gpu/x' }), { describeRemote: refuse })).rejects.toThrow(
      'no such model',
    );
    expect(await store.find(parseModelName('none'))).toBeUndefined();
  });
});
