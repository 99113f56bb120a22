import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { createFakeEngine } from '../../../../test/support/fake-engine.ts';
import { published } from '../../../../test/support/published-formats.ts';
import { collect, createComputeHere, createServiceFixture } from '../../../../test/support/service-fixture.ts';
import { silentLogger } from '../../../base/logger.ts';
import { formats } from '../../../formats/chat/formats/find-format.ts';
import { parseModelName, parseRequestedModel } from '../../../models/name.ts';
import { createCreateModel } from '../create/create-model.ts';
import { installEmbedded } from './install-embedded.ts';
import { createShowModel } from './show-model.ts';
import { printParameters } from './show-modelfile.ts';

const fixture = createServiceFixture();
afterAll(() => fixture.remove());
const { store } = fixture;
const services = fixture.createServices();
const show = createShowModel({ ...services, engine: createFakeEngine() });
const unexpected = (): never => {
  throw new Error('not expected');
};
const create = createCreateModel({
  store,
  quantizeFile: unexpected,
  convertFiles: unexpected,
  pullModel: unexpected,
  pullPackage: unexpected,
  describeRemote: unexpected,
  compute: createComputeHere(),
  logger: silentLogger,
});
const showModel = (name: string) =>
  show({ model: parseRequestedModel(name), verbose: false, system: '', parameters: {} });

/** Creates the model again from the shown Modelfile; compares its layers. */
async function expectRoundTrip(name: string): Promise<void> {
  const { modelfile } = await showModel(name);
  const fields = { from: '', files: {}, adapters: {}, parameters: {}, licenses: [] };
  const input = { quantization: undefined, path: '', localFiles: false, fields };
  await collect(create({ ...input, name: parseModelName('again'), modelfile }, new AbortController().signal));
  const { template, system, parameters, messages } = await showModel('again');
  expect({ template, system, parameters, messages }).toEqual(await pick(name));
}

async function pick(name: string) {
  const { template, system, parameters, messages } = await showModel(name);
  return { template, system, parameters, messages };
}

const jinja = (source: string) => ({ 'tokenizer.chat_template': { type: 'string', value: source } as const });

test.each([
  ['an unknown Jinja template', '{% for m in messages %}<{{ m.role }}>{{ m["content"] }}{% endfor %}'],
  ['a Jinja template with quotes', '{{ """"" }}\n{% for m in messages %}{{ m.content }}"""\n{% endfor %}'],
  [
    'chatml',
    "{% for m in messages %}{{'<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n'}}{% endfor %}",
  ],
])('the shown Modelfile creates the same model: %s', async (_, source) => {
  await fixture.putModel('base', { metadata: jinja(source), system: 'Be "brief".', parameters: { temperature: 0.5 } });
  await expectRoundTrip('base');
});

test('the shown Modelfile creates the same model: a template of its own', async () => {
  await fixture.putModel('own', { template: '{{ .System }}\n{{ .Prompt }}', parameters: { stop: ['a', 'b c'] } });
  expect((await showModel('own')).modelfile).toContain('TEMPLATE');
  await expectRoundTrip('own');
});

test('the shown Modelfile creates the same model: a draft model', async () => {
  const metadata = {
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.tokens': { type: 'strings', value: ['a', 'b'] },
  } as const;
  await fixture.putModel('target', { metadata });
  await fixture.putModel('small', { metadata: { ...metadata, 'general.name': { type: 'string', value: 'small' } } });
  const fields = { from: 'target', draft: 'small', files: {}, adapters: {}, parameters: {}, licenses: [] };
  const input = { quantization: undefined, path: '', modelfile: '', localFiles: false, fields };
  await collect(create({ ...input, name: parseModelName('drafted') }, new AbortController().signal));
  const draftLine = async (name: string) => /^DRAFT .*$/m.exec((await showModel(name)).modelfile)?.[0];
  expect(await draftLine('drafted')).toMatch(/^DRAFT .*sha256-/);
  await expectRoundTrip('drafted');
  expect(await draftLine('again')).toBe(await draftLine('drafted'));
});

test.each(formats.map(({ name, template }) => [name, template] as const))(
  'the shown Modelfile creates the same model: the Go template of %s',
  async (_, template) => {
    await fixture.putModel('format', { template });
    await expectRoundTrip('format');
  },
);

test.each(Object.entries(published))(
  'the shown Modelfile creates the same model: the Jinja template of %s',
  async (_, { jinja: source }) => {
    await fixture.putModel('published', { metadata: jinja(source) });
    await expectRoundTrip('published');
  },
);

test('the shown Modelfile creates the same model: embedded models', async () => {
  const names = await installEmbedded(store, fileURLToPath(new URL('../../../../models', import.meta.url)));
  expect(names.length).toBeGreaterThan(1);
  for (const name of names) await expectRoundTrip(name);
}, 60_000);

test('parameters that create does not know are left out of the Modelfile', async () => {
  await fixture.putModel('foreign', { parameters: { temperature: 0.5, from_another_server: 3 } });
  const { modelfile, parameters } = await showModel('foreign');
  expect(modelfile).not.toContain('from_another_server');
  expect(parameters).toContain('from_another_server');
});

test('numbers are printed as Go prints them', () => {
  const lines = printParameters({ min_p: 0.00001, num_ctx: 131_072, seed: 1_000_000, stop: ['"a"'], use_mmap: true });
  expect(lines.split('\n').map((line) => line.replace(/ +/, ' '))).toEqual([
    'min_p 1e-05',
    'num_ctx 131072',
    'seed 1e+06',
    'stop "\\"a\\""',
    'use_mmap true',
  ]);
});

test('whether a model fits is told if it is asked for, with its experts in main memory', async () => {
  await fixture.putModel('mixture', { metadata: {} });
  const fit = { verdict: 'layers', layers: { onGpus: 49, total: 49 }, expertLayers: 31 } as const;
  const engine = { ...createFakeEngine(), judgeLoad: async () => fit };
  const ask = (asked: boolean) =>
    createShowModel({ ...services, engine })({
      model: parseRequestedModel('mixture'),
      verbose: false,
      fit: asked,
      system: '',
      parameters: {},
    });
  expect((await ask(false)).fit).toBeUndefined();
  const text = 'fits with the experts of 31 of 48 layers in main memory';
  expect((await ask(true)).fit).toEqual({ verdict: 'layers', text });
});
