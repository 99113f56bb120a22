// Qwen 3 as a reranker. It answers "yes" or "no", and the rows of these tokens in the output matrix become the layer that
// gives the score. Its config.json is that of a chat model.

import type { Checkpoint } from '../config/checkpoint.ts';
import { poolingTypes } from '../config/describe-pooling.ts';
import { unusable } from '../files/checkpoint-error.ts';
import { chooseType, type OutputTensor } from '../tensors/output-tensor.ts';
import { sliceRows } from '../tensors/source-tensors.ts';
import { readTokenizerFiles, readVocabulary } from '../tokenizer/tokenizer-files.ts';
import type { Family } from './family.ts';
import { qwen3 } from './qwen.ts';

const answers = ['yes', 'no'] as const;
/** What the model was trained with. */
const template = `<|im_start|>system
Judge whether the Document meets the requirements based on the Query and the Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>
<|im_start|>user
<Instruct>: Given a web search query, retrieve relevant passages that answer the query
<Query>: {query}
<Document>: {document}<|im_end|>
<|im_start|>assistant
<think>

</think>

`;
const embeddings = 'model.embed_tokens.weight';
const output = 'lm_head.weight';

export const qwen3Reranker: Family = {
  ...qwen3,
  models: ['Qwen3ForCausalLM'],
  applies: (_, hints) => hints.some((hint) => /qwen3-reranker/i.test(hint)),
  extraTensors: readAnswers,
  // The matrix of all other tokens is not used.
  omits: (name, config) => name === output && config['tie_word_embeddings'] !== true,
  describe(checkpoint, metadata) {
    qwen3.describe(checkpoint, metadata);
    metadata.u32('pooling_type', poolingTypes.rank);
    metadata.strings('classifier.output_labels', answers);
    const tokenizer = metadata.withArchitecture('tokenizer');
    tokenizer.strings('chat_templates', ['rerank']);
    tokenizer.string('chat_template.rerank', template);
  },
};

async function readAnswers({ folder, tensors, type, config }: Checkpoint): Promise<OutputTensor[]> {
  const vocabulary = readVocabulary(await readTokenizerFiles(folder));
  const ids = answers.map((answer) => [...vocabulary].find(([, token]) => token === answer)?.[0]);
  const matrix = config['tie_word_embeddings'] === true ? embeddings : output;
  const source = tensors.find(({ name }) => name === matrix)?.source;
  if (source === undefined) throw unusable(`it has no ${matrix}`);
  const data = ids.map((id, index) => {
    if (id === undefined) throw unusable(`its vocabulary has no token ${JSON.stringify(answers[index])}`);
    return { source: sliceRows(source, id, id + 1) };
  });
  const name = 'cls.output.weight';
  const shape = [answers.length, source.shape[1] ?? 0];
  return [{ name, shape, type: chooseType(name, shape, type), data }];
}
