// Models that other tools packed as OCI artifacts: pulled from the reference registry through the real server.

import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readGgufFile } from '../../../src/formats/gguf/read-gguf.ts';
import type { ProgressResponseBody } from '../../../src/server/dialects/ollama/transfer/progress-schema.ts';
import { checkpoints } from '../../support/checkpoints/checkpoints.ts';
import { chat, generate, post } from '../../support/client.ts';
import { createClientOf } from '../../support/create-client.ts';
import { splitGguf } from '../../support/models/split-gguf.ts';
import { writeTar, writeTarGz } from '../../support/packages/write-tar.ts';
import { docker, modelPack, type PackedLayer, uploadArtifact, uploadIndex } from '../../support/registry/artifacts.ts';
import { type DockerRegistry, hasDockerRegistry, startDockerRegistry } from '../../support/registry/docker-registry.ts';
import { type FaultProxy, startFaultProxy } from '../../support/registry/fault-proxy.ts';
import { repository } from '../../support/repository.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { writeZstd } from '../../support/zstd.ts';

const emberPath = repository('models/ember-q4_k_m.gguf');
const ember = readFileSync(emberPath);
const capital = 'What is the capital of France?';

let server: TestServer;
let registry: DockerRegistry;
let proxy: FaultProxy;
beforeAll(async () => {
  if (!hasDockerRegistry) return;
  registry = await startDockerRegistry();
  proxy = await startFaultProxy(registry.url);
  server = await startServer();
});
afterAll(async () => {
  await server?.stop();
  await proxy?.stop();
  await registry?.stop();
});

const nameOf = (model: string): string => `${proxy.host}/ai/${model}`;
const pull = async (model: string): Promise<(ProgressResponseBody & { error?: string })[]> =>
  (await post<ProgressResponseBody>(server.url, '/api/pull', { model: nameOf(model), insecure: true })).objects;
const pulled = async (model: string): Promise<string[]> => {
  const objects = await pull(model);
  expect(objects.at(-1)).toEqual({ status: 'success' });
  return objects.map(({ status }) => status);
};
const packDocker = (model: string, layers: readonly PackedLayer[], config: object = {}) =>
  uploadArtifact(registry.url, `ai/${model}`, { config: docker.config(config), layers });
const packModelPack = (model: string, layers: readonly PackedLayer[]) =>
  uploadArtifact(registry.url, `ai/${model}`, {
    config: modelPack.config(layers),
    layers,
    artifactType: 'application/vnd.cncf.model.manifest.v1+json',
  });
const answerOf = async (model: string, content = capital): Promise<string | undefined> => {
  const options = { temperature: 0, num_predict: 20 };
  const messages = [{ role: 'user', content }];
  return (await chat(server.url, { model: nameOf(model), messages, options })).message?.content;
};
const show = (model: string) => createClientOf(server).show(nameOf(model));
const blobs = (): string[] => readdirSync(join(server.store, 'blobs')).sort();

describe.skipIf(!hasDockerRegistry)('artifacts of Docker', () => {
  test('weights, license, template and length of the context; a second pull transfers nothing', async () => {
    // The template asks the question, whatever the message is.
    const jinja = `<|im_start|>user\n${capital}<|im_end|>\n<|im_start|>assistant\n{# {{ messages }} #}`;
    await packDocker(
      'complete',
      [
        docker.layer('gguf.v3', ember),
        docker.layer('license', Buffer.from('Apache 2.0')),
        docker.layer('chat.template.jinja', Buffer.from(jinja)),
      ],
      { context_size: 1024 },
    );
    await pulled('complete');
    const shown = await show('complete');
    expect(shown).toMatchObject({ license: 'Apache 2.0', template: jinja, origin: { version: 'latest' } });
    expect(shown.parameters).toMatch(/^num_ctx +1024$/);
    expect(await answerOf('complete', 'Hello')).toContain('Paris');

    proxy.reset();
    expect(await pulled('complete')).toContain(`${nameOf('complete')}:latest: up to date`);
    expect(proxy.bytesDown('/blobs/')).toBe(0);

    // A model that is made of it keeps the template.
    await createClientOf(server).created({ model: 'heir', from: nameOf('complete'), system: 'Be brief.' });
    expect(await createClientOf(server).show('heir')).toMatchObject({ template: jinja, system: 'Be brief.' });
  });

  test('the blob of the weights is the layer, and nothing else is left', async () => {
    const before = blobs();
    await packDocker('plain', [docker.layer('gguf.v3', ember)]);
    await pulled('plain');
    expect(await answerOf('plain')).toContain('Paris');
    await fetch(`${server.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model: nameOf('plain') }) });
    await expect.poll(blobs).toEqual(before);
  });

  test('the parts of a split model, an image encoder, an adapter', async () => {
    const gguf = await readGgufFile(emberPath);
    const half = Math.ceil(gguf.tensors.length / 2);
    const parts = splitGguf(ember, gguf, [gguf.tensors.slice(0, half), gguf.tensors.slice(half)]);
    await packDocker('parts', [
      ...parts.map((part) => docker.layer('gguf.v3', part)),
      docker.layer('mmproj', readFileSync(repository('models/ember-eyes-mmproj-f16.gguf'))),
      docker.layer('gguf.v3.lora', readFileSync(repository('models/ember-ahoy-lora-f16.gguf'))),
    ]);
    await pulled('parts');
    expect((await show('parts')).capabilities).toContain('vision');
    expect((await show('parts')).modelfile).toMatch(/^ADAPTER /m);
    expect(await answerOf('parts')).toMatch(/ahoy/i);
  });

  test('an index names the manifest', async () => {
    const manifest = await packDocker('index', [docker.layer('gguf.v3', ember)]);
    await uploadIndex(registry.url, 'ai/index', [
      { platform: 'unknown/unknown', manifest },
      { platform: 'linux/amd64', manifest },
    ]);
    await pulled('index');
    expect(await answerOf('index')).toContain('Paris');
  });
});

describe.skipIf(!hasDockerRegistry)('artifacts of ModelPack', () => {
  test.each([
    ['raw', modelPack.layer('weight.v1.raw', ember, 'ember.gguf')],
    ['nameless', modelPack.layer('weight.v1.raw', ember)],
    ['gguf', modelPack.layer('weight.v1.gguf', ember)],
    ['tar', modelPack.layer('weight.v1.tar', writeTar([{ path: 'model/ember.gguf', content: ember }]))],
    ['gzip', modelPack.layer('weight.v1.tar+gzip', writeTarGz([{ path: 'ember.gguf', content: ember }]))],
    ['zstd', modelPack.layer('weight.v1.tar+zstd', writeZstd(writeTar([{ path: 'ember.gguf', content: ember }])))],
  ])('weights as %s, documents and code', async (kind, weights) => {
    const before = blobs();
    await packModelPack(kind, [
      weights,
      modelPack.layer(
        'doc.v1.tar',
        writeTar([
          { path: 'LICENSE', content: 'MIT' },
          { path: 'README.md', content: '#' },
        ]),
      ),
      modelPack.layer('weight.config.v1.raw', Buffer.from('{"a": 1}'), 'config.json'),
      modelPack.layer('code.v1.raw', Buffer.from('print(1)'), 'run.py'),
    ]);
    const statuses = await pulled(kind);
    expect(statuses).toContain('skipping layers of the type application/vnd.cncf.model.code.v1.raw');
    expect((await show(kind)).license).toBe('MIT');
    expect(await answerOf(kind)).toContain('Paris');
    await fetch(`${server.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model: nameOf(kind) }) });
    await expect.poll(blobs).toEqual(before);
  });

  test('a checkpoint is converted', async () => {
    const files = Object.entries((checkpoints['llama-3'] as () => Record<string, Uint8Array | string>)());
    const layers = files.map(([name, content]) =>
      modelPack.layer(
        name.endsWith('.safetensors') ? 'weight.v1.raw' : 'weight.config.v1.raw',
        Buffer.from(content),
        name,
      ),
    );
    await packModelPack('checkpoint', layers);
    await pulled('checkpoint');
    const { response } = await generate(server.url, {
      model: nameOf('checkpoint'),
      prompt: 'a',
      raw: true,
      options: { num_predict: 2 },
    });
    expect(response).toBeTypeOf('string');
  });
});

describe.skipIf(!hasDockerRegistry)('what cannot be used is refused with a sentence, and leaves nothing', () => {
  const text = (length: number) => Buffer.alloc(length, 'x');
  test.each<[string, string, readonly PackedLayer[]]>([
    ['other weights', 'not in GGUF format', [docker.layer('gguf.v3', randomBytes(100_000))]],
    ['no weights', 'has no weights in GGUF or safetensors format', [docker.layer('license', text(3))]],
    ['an unknown kind', 'application/vnd.docker.ai.dduf', [docker.layer('dduf', text(3))]],
    [
      'a long license',
      'the maximum is 1048576',
      [docker.layer('gguf.v3', ember), docker.layer('license', text(2 ** 20 + 1))],
    ],
    ['zstd that is none', 'it is corrupt or incomplete', [modelPack.layer('weight.v1.tar+zstd', ember)]],
    [
      'a path that leaves the folder',
      'is not allowed',
      [modelPack.layer('weight.v1.tar', writeTar([{ path: '../../x.gguf', content: ember }]))],
    ],
    ['a name that leaves the folder', 'is not allowed', [modelPack.layer('weight.v1.raw', ember, '../x.gguf')]],
    [
      'two files of a name',
      'two files have the name',
      [modelPack.layer('weight.v1.raw', ember, 'a.gguf'), modelPack.layer('weight.v1.raw', ember, 'a.gguf')],
    ],
    ['a broken archive', 'not a valid archive', [modelPack.layer('weight.v1.tar', randomBytes(5000))]],
    [
      'an empty archive',
      'the artifact has no GGUF or safetensors file',
      [modelPack.layer('weight.v1.tar', writeTar([]))],
    ],
  ])('%s', async (what, message, layers) => {
    const before = blobs();
    const model = what.replaceAll(' ', '-');
    if (layers[0]?.mediaType.includes('docker')) await packDocker(model, layers);
    else await packModelPack(model, layers);
    const last = (await pull(model)).at(-1);
    expect(last?.error).toContain(message);
    await expect.poll(blobs).toEqual(before);
    expect(
      (await fetch(`${server.url}/api/show`, { method: 'POST', body: JSON.stringify({ model: nameOf(model) }) }))
        .status,
    ).toBe(404);
  });

  test('a container image', async () => {
    const config = { mediaType: 'application/vnd.oci.image.config.v1+json', content: Buffer.from('{}') };
    const layers = [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', content: writeTarGz([]) }];
    await uploadArtifact(registry.url, 'ai/container', { config, layers });
    expect((await pull('container')).at(-1)?.error).toContain('this is a container image, not a model');
  });

  test('a blob with other content', async () => {
    const before = blobs();
    await packDocker('swapped', [docker.layer('gguf.v3', Buffer.concat([ember, randomBytes(32)]))]);
    proxy.plan(({ path, method }) =>
      method === 'GET' && path.includes('/blobs/') ? { kind: 'corrupt', at: 500 } : undefined,
    );
    expect((await pull('swapped')).at(-1)?.error).toMatch(/digest/);
    proxy.plan(() => undefined);
    await expect.poll(blobs).toEqual(before);
  });
});

describe.skipIf(!hasDockerRegistry)('a push as a ModelPack', () => {
  const push = async (model: string, fields: object = {}) =>
    (await post<ProgressResponseBody>(server.url, '/api/push', { model: nameOf(model), insecure: true, ...fields }))
      .objects;
  const created = (body: object) => createClientOf(server).created({ ...body });

  test('has the form of the specification, and is pulled with all its texts', async () => {
    const modelfile = [
      'FROM ember-eyes',
      `ADAPTER ${repository('models/ember-ahoy-lora-f16.gguf')}`,
      'SYSTEM You are a sailor.',
      'PARAMETER temperature 0.3',
      'PARAMETER stop "a"',
      'PARAMETER stop "b"',
      'MESSAGE user Hi',
      'LICENSE MIT',
    ].join('\n');
    await created({ model: nameOf('sailor'), modelfile });
    const before = blobs();
    const shown = await show('sailor');
    expect((await push('sailor', { format: 'modelpack' })).at(-1)).toEqual({ status: 'success' });
    expect(blobs()).toEqual(before);

    const response = await fetch(`${registry.url}/v2/ai/sailor/manifests/latest`, {
      headers: { accept: 'application/vnd.oci.image.manifest.v1+json' },
    });
    const manifest = (await response.json()) as {
      config: { digest: string };
      layers: { mediaType: string; digest: string; annotations: Record<string, string> }[];
    };
    expect(manifest).toMatchObject({
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      artifactType: 'application/vnd.cncf.model.manifest.v1+json',
      config: { mediaType: 'application/vnd.cncf.model.config.v1+json' },
    });
    const layers = manifest.layers.map(({ mediaType, annotations }) => [
      mediaType.replace('application/vnd.cncf.model.', ''),
      annotations['org.cncf.model.filepath'],
    ]);
    expect(layers).toEqual(
      expect.arrayContaining([
        ['weight.v1.raw', 'model.gguf'],
        ['weight.v1.raw', 'mmproj.gguf'],
        ['weight.v1.raw', 'adapter.gguf'],
        ['doc.v1.raw', 'LICENSE'],
        ['weight.config.v1.raw', 'Modelfile'],
      ]),
    );
    const config = await (await fetch(`${registry.url}/v2/ai/sailor/blobs/${manifest.config.digest}`)).json();
    expect(config).toMatchObject({
      descriptor: { name: 'sailor' },
      config: { format: 'gguf', paramSize: expect.stringMatching(/^\d+(\.\d)?[KMB]$/) },
      modelfs: { type: 'layers', diffIds: manifest.layers.map(({ digest }) => digest) },
    });

    await fetch(`${server.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model: nameOf('sailor') }) });
    await pulled('sailor');
    const back = await show('sailor');
    for (const field of ['modelfile', 'template', 'system', 'parameters', 'license', 'capabilities'] as const)
      expect(back[field]).toEqual(shown[field]);
  });

  test('a Jinja template is a file of its own', async () => {
    await createClientOf(server).created({ model: nameOf('again'), from: nameOf('complete') });
    expect((await push('again', { format: 'modelpack' })).at(-1)).toEqual({ status: 'success' });
    await fetch(`${server.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model: nameOf('again') }) });
    await pulled('again');
    expect((await show('again')).template).toBe((await show('complete')).template);
  });

  test('with the default format it is a model of Ollama; other formats are refused', async () => {
    await createClientOf(server).created({ model: nameOf('usual'), from: 'ember' });
    expect((await push('usual')).at(-1)).toEqual({ status: 'success' });
    const mediaType = 'application/vnd.docker.distribution.manifest.v2+json';
    const response = await fetch(`${registry.url}/v2/ai/usual/manifests/latest`, { headers: { accept: mediaType } });
    expect(await response.json()).toMatchObject({ mediaType });
    expect((await push('usual', { format: 'zip' })).at(-1)).toHaveProperty('error');
  });
});
