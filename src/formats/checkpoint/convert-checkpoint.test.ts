import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkpoints } from '../../../test/support/checkpoints/checkpoints.ts';
import { collectStream, toCheckpointFiles } from '../../../test/support/checkpoints/memory-files.ts';
import type { Files } from '../../../test/support/checkpoints/tokenizers.ts';
import { encodeSafetensors } from '../../../test/support/checkpoints/write-safetensors.ts';
import { type Gguf, readGguf } from '../gguf/read-gguf.ts';
import { convertCheckpoint } from './convert-checkpoint.ts';

/**
 * SHA-256 of the results. test/reference compares the same results with those of llama.cpp's converter; after a change
 * here, run it again.
 */
const digests: Readonly<Record<string, string>> = {
  'llama-3': '5675ad35ff76b40a41bdc1179e6942c09fc23b4efa970ee9a863969a1ff5aad5',
  'llama-2': '85833f8a541d2ed304980f831a9fce92352799eb238179fa974ad8bed343592c',
  smollm: '6afe8f404e329f16a2af30277eb2eb3b8c78201ea026b87ad8a75a00d5d93b2f',
  mistral: '587c3f5ecbd3e6aa2358faee75924a332c13fd873315cc37760d2de9b508e012',
  'mistral-nemo': 'ff71819bb6bd644be03862b4d3b79a96cb4490f7b75c05c1bce683e0a8673042',
  mixtral: '4a86f09d16c3a9df81cba4951291b8abfa9aa7b284a6e46be3acf0b8e3b059cd',
  'qwen-2': 'e1e422a9203904682a5a06c113c2d5ab72a83560890ee2f56214d82fa9e160a7',
  'qwen-2-moe': '560b508da6f0c49671c21ea262714a7760e2b23b42e969cf24f47e917d36b73c',
  'qwen-3': '82749ad59855938f8b4f0c185fc798d05ed6edd3f2c36c7ea66657fdeab05604',
  'qwen-3-embedding': '3681d037c177fb3a8e22f760384b9f59a80bb1f6a2dfaf7796e3506622197ac7',
  'qwen-3-moe': '2a73fe70527654e5a7a74ac404bec655a4f42be35bd43174c3b07ad6d66610ad',
  gemma: '5f9aaf29c9d1c5984e52b5404db792727a1d98916f93be001ee36faf14646918',
  'gemma-2': 'f373ba5a3bbcb8cb3c6f11aeb7ebcaa3a7e0df316fc4b04be5ec293032722069',
  'gemma-3': 'fa25c7bb3c8308dd213d3a7a4d41416f1d2d1755676db479708dbb5c5e5f893b',
  'gemma-3-vision': '41c954348476c53d029931db0dfba4fcb282004ad69ece5e5e253e64afcbf120',
  'phi-3': 'eb2ce62fcc97d2f82d6411f2320b6af469cd57cf50c26a2518b01c8405988b7f',
  'phi-4': '28908408ad8f88fa9514375d3a35e636d8240a1427ee740964e3324156499199',
  bert: '008bf0fdb28eb7a3ae76c6babe4273c0a93a6fddc39add51f5719dd1ac63930a',
  'distil-bert': '57ac06f0d9f5a6853b541a782b96bc6634c80cfeab111984cb6689c5144bc6f7',
  roberta: '425ab0b256cde50ad36f9e7936b490c3d8a289568f382972ebf4034cae5984e3',
  'deepseek-3': '24cfb010d105814c1c8250bb2ce3e3ef0bd4016ae4c635592877ccb52f4a4dab',
  'glm-4-moe': 'c1e743f2e8e601b164610ea475d6aff2f861c197681f2ab3107f63740adb9172',
  'gpt-oss': '053bdfa3d04e1523da12c9ec4dddf3bfcf39460b04aff228ef77c8873e7056b4',
  'granite-3': '69c7fbd53c202a4b6f614f05fda9b8eb8a4fa16abf2af259fcabcbb59a05ec02',
  'granite-4': '7385a7b04f23393c21fb4d4b7327ec868eeb70909e86d68a0f32684b6a713ff4',
  'granite-4-dense': 'da0cfaf53fa00f787c032efb3fc0ef98e26f2a608dec65d148db757a48a6c2e9',
  'granite-4-hybrid-dense': '4baa48d2b8b8dc6f4b19350da4cd2720d8136dc661cba56c0a6812d90bf4d34d',
  'lfm-2': '65b5ed690dfe241da746197fe9830634cad6820f59b3398e9e603f793bef5d78',
  'llama-4': '8577ba5c6844e2830e39391222230d4f40a750e1cb3dbbc62b81c83b69b99c28',
  'ministral-3': '595d3dd19457228012ab7f434ece63338242c6235aac36124aaf02a397a5f242',
  'olmo-2': 'ad9b5960dc0674702bade56bca99259fee717a0024aa5d939d5424772a6d0b75',
  'olmo-3': '240ed347262769803ef958c601e3f4b386c46378102f59bb072a1aaef67fead5',
  'qwen-3.5': '8c8301f3364b6026474036eb26c83556548c63e35a3b2cdf8079ad6cbe6decee',
  'qwen-3.5-moe': '583eb6c07abdee0b7e8e2ba28fb783c06c2be179bb2d03961883327a041fb249',
  'smollm-3': 'fb4a400b16a50136978322a24754ad33506a99d565341bd1420f3c15070d5092',
  'gpt-oss-mxfp4': '2f457fe3158e38361514f2536cafa5cafadaa133e787b063d487d4df637098f4',
  'qwen-3.5-prediction': 'c3cb6068379dbc528c0fe3e498100988d1c0f47a3a5f929e7995d6ff640c9094',
  'qwen-3.5-moe-stacked': '04394948cf0eb4461d3b34ef9331065b687d9f799073812e5a9d3a9ef980d2d9',
  'jina-2': '5e283fc2aa2c1eec7b59b3c14354f15b4c0ebdc3e698614e6fedd6a4c0a17e03',
  'jina-2-code': '1865d8ae48a698f4c5d541ee94f93af042b60d459ea32ca203043338d8193147',
  'jina-3-adapters': '77b472438f2429f1ca78a460f471fc8b77ecbb11d283b87868e1703e65ac24f5',
  'nomic-bert-moe': '8c21277b497756092f692a648875d656379f5c7ebb9f76f324392fa48adabde0',
  'modern-bert': 'ef6f9fa3acaa11bc16bb816dc693c6fd1eb54cf2daa1c7c3f1db07d16b5d7aae',
  'nomic-bert': '98a81e88147636fd04795de01b667b6af1387b3c17107db4e266250ee1916ced',
  'xlm-roberta': 'b3d6bb75c0658886a6791faa74fefda80416a5a73f9c3acbc83d7a9970ddcf80',
  'jina-3': 'b33812e2b79b93ad28d30782860f702fc53352a4f7ae6c4c757dc0f128275b52',
  'embedding-gemma': 'a78920cb737a317e17d935d621c4696be94e979eb5feb7ff0a7850ac7d9af9ed',
  'qwen3-reranker': 'ecf75b66a2d1eb7440e9ed6baacbafb429ee01d0359d4e15033c3722720e6e39',
  'qwen3-reranker-untied': '997828d922ad6d99676c784a68923c0eb641173526c986522989931b668e40d0',
  'lfm-2-moe': '875d5afa6ed9fbd19d9d6721bc5f44f1bd3f15fdab6705ffa6e0b36c9baf674d',
  'gemma-4': '18b3e3b3f14f87a9e72b7a2b3e874df2acfb0f1186eaf3ed37479675090fa3b0',
  'gemma-4-e': '71eb3430739668d355aeddc975472044b62e7bc21fae6e6132489612f747a571',
  'qwen-3-fp8': '51473b29c09d77511659ef96f63f51e786a4985439085282f488a81d5a81fe2e',
  'ministral-3-fp8': '6de3e2ff9528dec180e93657c38d0ad55da97549085dbd490f4ef975d491e210',
};

const convert = async (files: Files, name = 'test') => convertCheckpoint(toCheckpointFiles(files), { name });

async function convertAndRead(files: Files): Promise<{ gguf: Gguf; bytes: Buffer }> {
  const bytes = await collectStream(await convert(files));
  const gguf = await readGguf({ size: bytes.length, readHead: async (length) => bytes.subarray(0, length) });
  return { gguf, bytes };
}

const filesOf = (name: string): Files => checkpoints[name]?.() as Files;

function withConfig(files: Files, change: Readonly<Record<string, unknown>>): Files {
  const config = JSON.parse(String(files['config.json']));
  return { ...files, 'config.json': Buffer.from(JSON.stringify({ ...config, ...change })) };
}

function without(files: Files, name: string): Files {
  return Object.fromEntries(Object.entries(files).filter(([file]) => file !== name));
}

describe('the result is the one that was compared with llama.cpp', () => {
  test.each(Object.keys(checkpoints))('%s', async (name) => {
    const converted = await convert(filesOf(name), name);
    const bytes = await collectStream(converted);
    expect(bytes.length).toBe(converted.bytes);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(digests[name]);
  });
});

test('the result has aligned tensors, the name of the model and its hyperparameters', async () => {
  const { gguf } = await convertAndRead(filesOf('llama-3'));
  expect(gguf.metadata.get('general.name')).toBe('test');
  expect(gguf.metadata.get('llama.attention.head_count_kv')).toBe(2);
  expect(gguf.metadata.get('tokenizer.ggml.pre')).toBe('llama-bpe');
  expect(gguf.tensors.find(({ name }) => name === 'blk.1.ffn_down.weight')?.shape).toEqual([96, 64]);
});

test('llama.cpp would not load another model with the name of Phi 3', async () => {
  const nameOf = async (checkpoint: string) => {
    const bytes = await collectStream(await convert(filesOf(checkpoint), 'my-Phi-3-x'));
    const source = { size: bytes.length, readHead: async (length: number) => bytes.subarray(0, length) };
    return (await readGguf(source)).metadata.get('general.name');
  };
  expect(await nameOf('phi-3')).toBe('my-Phi-3-x');
  expect(await nameOf('phi-4')).toBe('my-phi-x');
});

test('rows of query heads alternate between the halves of a head', async () => {
  const { gguf, bytes } = await convertAndRead(filesOf('llama-3'));
  const source = encodeSafetensors([{ name: 'model.layers.0.self_attn.q_proj.weight', shape: [64, 64], type: 'BF16' }]);
  const rows = source.subarray(source.length - 64 * 64 * 2);
  const query = gguf.tensors.find(({ name }) => name === 'blk.0.attn_q.weight');
  const row = (data: Buffer, index: number): Buffer => data.subarray(index * 128, (index + 1) * 128);
  const result = bytes.subarray(query?.offset, (query?.offset ?? 0) + 64 * 128);
  // Heads have 16 rows: the second head starts at row 16.
  expect(row(result, 16)).toEqual(row(rows, 16));
  expect(row(result, 17)).toEqual(row(rows, 24));
  expect(row(result, 18)).toEqual(row(rows, 17));
});

test('packed numbers keep their values: 16 bytes of neighbors become 16 bytes of values that are 16 apart', async () => {
  const { gguf, bytes } = await convertAndRead(filesOf('gpt-oss-mxfp4'));
  const [name, shape] = ['model.layers.0.mlp.experts.down_proj', [4, 64, 3]];
  const source = encodeSafetensors([{ name: `${name}_blocks`, shape: [...shape, 16], type: 'U8' }]).subarray(
    -4 * 64 * 48,
  );
  const scales = encodeSafetensors([{ name: `${name}_scales`, shape, type: 'U8' }]).subarray(-4 * 64 * 3);
  const tensor = gguf.tensors.find((own) => own.name === 'blk.0.ffn_down_exps.weight');
  expect([tensor?.type.name, tensor?.shape]).toEqual(['MXFP4', [96, 64, 4]]);
  const blocks = bytes.subarray(tensor?.offset, (tensor?.offset ?? 0) + (tensor?.bytes ?? 0));
  for (const block of [0, 1, 100, 767]) {
    const own = blocks.subarray(block * 17, (block + 1) * 17);
    const packed = source.subarray(block * 16, (block + 1) * 16);
    const expected = [...packed].flatMap((byte) => [byte & 15, byte >>> 4]);
    const low = [...own.subarray(1)].map((byte) => byte & 15);
    const high = [...own.subarray(1)].map((byte) => byte >>> 4);
    expect([...low, ...high]).toEqual(expected);
    expect(own[0]).toBe(scales[block]);
  }
});

test('embedding models have a pooling type and state where texts are cut', async () => {
  const { gguf } = await convertAndRead(filesOf('bert'));
  expect(gguf.metadata.get('bert.pooling_type')).toBe(1);
  expect(gguf.metadata.get('bert.attention.causal')).toBe(false);
  expect((await convert(filesOf('bert'))).maxTokens).toBe(24);
  expect((await convert(filesOf('llama-3'))).maxTokens).toBeUndefined();
});

test('a classifier becomes a reranker, with the pooler as its first layer', async () => {
  const files = withConfig(filesOf('bert'), {
    architectures: ['BertForSequenceClassification'],
    id2label: { 0: 'LABEL_0' },
  });
  const { gguf } = await convertAndRead(files);
  expect(gguf.metadata.get('bert.pooling_type')).toBe(4);
  expect(gguf.metadata.get('bert.classifier.output_labels')).toEqual(['LABEL_0']);
  expect(gguf.tensors.map(({ name }) => name)).toContain('cls.weight');
});

describe('is refused with a reason', () => {
  const llama = (): Files => filesOf('llama-2');
  const weights = (...names: string[]): Buffer =>
    encodeSafetensors(names.map((name) => ({ name, shape: [2, 2], type: 'F16' })));
  const cases: Readonly<Record<string, [() => Files, RegExp]>> = {
    'no config.json': [() => without(llama(), 'config.json'), /config\.json is missing/],
    'no weights': [() => without(llama(), 'model.safetensors'), /no file model\*\.safetensors/],
    'no tokenizer': [() => without(llama(), 'tokenizer.model'), /no vocabulary|no byte pair encoding|pre-tokenizer/],
    'config.json is not JSON': [() => ({ ...llama(), 'config.json': Buffer.from('{') }), /config\.json is not JSON/],
    'config.json is a list': [() => ({ ...llama(), 'config.json': Buffer.from('[]') }), /not a JSON object/],
    'no architecture': [() => withConfig(llama(), { architectures: [] }), /names no architecture/],
    'an unknown architecture': [
      () => withConfig(llama(), { architectures: ['MambaForCausalLM'] }),
      /"MambaForCausalLM" is not known; known are .*LlamaForCausalLM, .*BertModel/,
    ],
    'an architecture from the prototype': [() => withConfig(llama(), { architectures: ['toString'] }), /is not known/],
    'quantized weights': [
      () => withConfig(llama(), { quantization_config: { quant_method: 'gptq' } }),
      /are quantized/,
    ],
    'no number of layers': [() => withConfig(llama(), { num_hidden_layers: null }), /has no num_hidden_layers/],
    'a negative size': [() => withConfig(llama(), { hidden_size: -1 }), /not an unsigned integer/],
    'too many layers': [() => withConfig(llama(), { num_hidden_layers: 1e9 }), /the limit is/],
    'a vocabulary of billions': [() => withConfig(llama(), { vocab_size: 4e9 }), /the limit is/],
    'a tensor of another model': [
      () => ({ ...llama(), 'model.safetensors': weights('model.layers.0.mixer.A') }),
      /a llama model has no tensor model\.layers\.0\.mixer\.A/,
    ],
    'heads that do not fit': [() => withConfig(llama(), { num_attention_heads: 7 }), /which 7 heads cannot share/],
    'a missing expert': [
      () => withConfig(filesOf('mixtral'), { num_local_experts: 5 }),
      /experts of layer 0 are missing/,
    ],
    'packed experts without their scales': [
      () => ({
        ...filesOf('gpt-oss-mxfp4'),
        'model.safetensors': encodeSafetensors([
          { name: 'model.layers.0.mlp.experts.down_proj_scales', shape: [4, 64, 3], type: 'U8' },
        ]),
      }),
      /down_proj_scales has no blocks/,
    ],
    'packed experts and scales of another size': [
      () => ({
        ...filesOf('gpt-oss-mxfp4'),
        'model.safetensors': encodeSafetensors([
          { name: 'model.layers.0.mlp.experts.down_proj_blocks', shape: [4, 64, 3, 16], type: 'U8' },
          { name: 'model.layers.0.mlp.experts.down_proj_scales', shape: [4, 64, 2], type: 'U8' },
        ]),
      }),
      /down_proj_blocks and .*down_proj_scales do not match/,
    ],
    'quantized weights of another kind than the family has': [
      () => withConfig(filesOf('gpt-oss'), { quantization_config: { quant_method: 'awq' } }),
      /are quantized/,
    ],
    'experts that are not two halves': [
      () => ({
        ...filesOf('qwen-3.5-moe'),
        'model.safetensors': encodeSafetensors([
          { name: 'model.layers.0.mlp.experts.gate_up_proj', shape: [4, 3, 64], type: 'BF16' },
        ]),
      }),
      /3 rows, which are not two halves/,
    ],
    'a tensor with billions of empty rows': [
      () => ({
        ...filesOf('gpt-oss'),
        'model.safetensors': encodeSafetensors([
          { name: 'model.layers.0.mlp.experts.gate_up_proj', shape: [4, 0, 4e9], type: 'BF16' },
        ]),
      }),
      /rows; the limit is/,
    ],
    'a missing shard': [
      () => without(filesOf('smollm'), 'model-00002-of-00002.safetensors'),
      /model-00002-of-00002\.safetensors is missing/,
    ],
    'an index of other tensors': [
      () => ({
        ...llama(),
        'model.safetensors.index.json': Buffer.from('{"weight_map":{"a.weight":"model.safetensors"}}'),
      }),
      /the tensor a\.weight of .* is missing/,
    ],
    'damaged weights': [
      () => ({ ...llama(), 'model.safetensors': weights('a').subarray(0, 40) }),
      /model\.safetensors: not a usable safetensors file/,
    ],
    'another pooling': [
      () => ({ ...filesOf('bert'), '1_Pooling/config.json': Buffer.from('{"pooling_mode_max_tokens":true}') }),
      /pooling is neither of/,
    ],
    'a pre-tokenizer that llama.cpp does not have': [
      () => ({
        ...filesOf('qwen-2'),
        'tokenizer.json': Buffer.from(String(filesOf('qwen-2')['tokenizer.json']).replace('ByteLevel', 'Whitespace')),
      }),
      /pre-tokenizer of tokenizer\.json is not known/,
    ],
  };
  test.each(Object.entries(cases))('%s', async (_, [files, message]) => {
    await expect(convertAndRead(files())).rejects.toThrow(message);
  });
});

test('a tokenizer.json made from SentencePiece needs no tokenizer.model: earlier merges have higher scores', async () => {
  const tokenizer = {
    added_tokens: [{ id: 0, content: '<unk>', special: true }],
    model: {
      type: 'BPE',
      byte_fallback: true,
      vocab: { '<unk>': 0, '<0x0A>': 1, a: 2, b: 3, ab: 4, aba: 5 },
      merges: ['a b', 'ab a'],
    },
  };
  const files = {
    ...without(filesOf('llama-2'), 'tokenizer.model'),
    'tokenizer.json': Buffer.from(JSON.stringify(tokenizer)),
    'tokenizer_config.json': Buffer.from('{}'),
  };
  const { metadata } = (await convertAndRead(files)).gguf;
  expect((metadata.get('tokenizer.ggml.scores') as number[]).slice(1, 6)).toEqual([-2, -2, -2, -0, -1]);
  expect((metadata.get('tokenizer.ggml.token_type') as number[]).slice(0, 7)).toEqual([2, 6, 1, 1, 1, 1, 5]);
});
