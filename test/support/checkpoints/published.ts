// Checkpoints of newer families: layouts.json has the configuration and the tensors of small models that transformers wrote
// (test/reference/write_checkpoints.py). Names are those of the published models.

import { readFileSync } from 'node:fs';
import { referenceTokenizers } from './reference-tokenizers.ts';
import type { Files } from './tokenizers.ts';
import { encodeSafetensors, type Weights } from './write-safetensors.ts';

type Shapes = Readonly<Record<string, readonly number[]>>;

interface Layout {
  readonly config: Readonly<Record<string, unknown>>;
  readonly tensors: Shapes;
  /** Where it is not BF16. */
  readonly types?: Readonly<Record<string, Weights['type']>>;
  /** One of the tokenizers of the reference. */
  readonly tokenizer?: string;
  /** The modules of sentence-transformers by path. */
  readonly modules?: Readonly<Record<string, ModuleLayout>>;
}

interface ModuleLayout {
  readonly kind: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly tensors?: Shapes;
}

const layouts = JSON.parse(readFileSync(new URL('layouts.json', import.meta.url), 'utf8')) as Record<string, Layout>;
const layoutOf = (name: string): Layout => layouts[name] as Layout;

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function weightsOf({ tensors, types = {} }: Pick<Layout, 'tensors' | 'types'>): Weights[] {
  return Object.entries(tensors).map(([name, shape]) => ({ name, shape, type: types[name] ?? 'BF16' }));
}

function filesOf(
  config: Readonly<Record<string, unknown>>,
  weights: readonly Weights[],
  tokenizer = 'byte-pairs',
): Files {
  return {
    'config.json': json(config),
    ...referenceTokenizers[tokenizer]?.(),
    'model.safetensors': encodeSafetensors(weights),
  };
}

function moduleFiles(modules: NonNullable<Layout['modules']>): Files {
  const kinds = Object.entries(modules).map(([path, { kind }]) => ({ path, kind }));
  const entries = [{ path: '', kind: 'Transformer' }, ...kinds].map(({ path, kind }, idx) => ({
    idx,
    name: String(idx),
    path,
    type: `sentence_transformers.models.${kind}`,
  }));
  const files = Object.entries(modules).flatMap(([path, { settings, tensors }]): [string, Buffer][] => [
    [`${path}/config.json`, json(settings)],
    ...(tensors === undefined
      ? []
      : [[`${path}/model.safetensors`, encodeSafetensors(weightsOf({ tensors }))] satisfies [string, Buffer]]),
  ]);
  return { 'modules.json': json(entries), ...Object.fromEntries(files) };
}

/** The published experts are packed: blocks of 32 numbers, and a scale for each. */
function packedGptOss(): Files {
  const layout = layoutOf('gpt-oss');
  const weights = weightsOf(layout).flatMap((tensor): Weights[] => {
    if (!/\.experts\.\w+_proj$/.test(tensor.name)) return [tensor];
    const [experts = 0, inputs = 0, outputs = 0] = tensor.shape;
    return [
      { name: `${tensor.name}_blocks`, shape: [experts, outputs, inputs / 32, 16], type: 'U8' },
      { name: `${tensor.name}_scales`, shape: [experts, outputs, inputs / 32], type: 'U8' },
    ];
  });
  return filesOf({ ...layout.config, quantization_config: { quant_method: 'mxfp4' } }, weights);
}

/** With a layer that predicts one token more, which transformers does not write, and the names of a model with images. */
function predictingQwen(): Files {
  const layout = layoutOf('qwen-3.5');
  const own = weightsOf(layout);
  const last = own.filter(({ name }) => name.startsWith('model.layers.3.'));
  const weights: Weights[] = [
    ...own.map((tensor) => ({ ...tensor, name: tensor.name.replace('model.', 'model.language_model.') })),
    ...last.map((tensor) => ({ ...tensor, name: tensor.name.replace('model.layers.3.', 'mtp.layers.0.') })),
    { name: 'mtp.fc.weight', shape: [64, 128], type: 'BF16' },
    ...['pre_fc_norm_embedding', 'pre_fc_norm_hidden', 'norm'].map(
      (name): Weights => ({ name: `mtp.${name}.weight`, shape: [64], type: 'BF16' }),
    ),
    { name: 'model.visual.patch_embed.proj.weight', shape: [8, 3, 2, 2, 2], type: 'BF16' },
  ];
  const text = { ...layout.config, mtp_num_hidden_layers: 1 };
  const config = {
    architectures: ['Qwen3_5ForConditionalGeneration'],
    model_type: 'qwen3_5',
    text_config: { ...text, architectures: undefined },
  };
  return filesOf(config, weights);
}

/** Experts of one layer as one tensor. */
function stackedQwen(): Files {
  const layout = layoutOf('qwen-3.5-moe');
  const others = weightsOf(layout).filter(({ name }) => !/\.experts\.\d+\./.test(name));
  const stacked = Array.from({ length: 4 }, (_, layer): Weights[] => [
    { name: `model.layers.${layer}.mlp.experts.gate_up_proj`, shape: [4, 64, 64], type: 'BF16' },
    { name: `model.layers.${layer}.mlp.experts.down_proj`, shape: [4, 64, 32], type: 'BF16' },
  ]).flat();
  return filesOf(layout.config, [...others, ...stacked]);
}

export const publishedCheckpoints: Readonly<Record<string, () => Files>> = {
  ...Object.fromEntries(
    Object.entries(layouts).map(([name, layout]) => [
      name,
      () => ({
        ...filesOf(layout.config, weightsOf(layout), layout.tokenizer),
        ...(layout.modules === undefined ? {} : moduleFiles(layout.modules)),
      }),
    ]),
  ),
  'gpt-oss-mxfp4': packedGptOss,
  'qwen-3.5-prediction': predictingQwen,
  'qwen-3.5-moe-stacked': stackedQwen,
};
