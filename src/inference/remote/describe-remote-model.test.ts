import { expect, test } from 'vitest';
import { createDescribeRemoteModel } from './describe-remote-model.ts';
import { brokenAnswer } from './http/remote-error.ts';
import { type ProbeAnswers, toEndpointFacts } from './probe/endpoint-facts.ts';
import { checkRemote } from './remotes/remote-record.ts';

const never = new AbortController().signal;
const list = (owner: string, ...ids: string[]) => ({
  data: ids.map((id) => ({ id, owned_by: owner, max_model_len: 2048 })),
});

function describe(answers: Partial<ProbeAnswers> | undefined, show: unknown = {}) {
  const describeModel = createDescribeRemoteModel({
    remotes: { find: (name) => (name === 'gpu' ? checkRemote({ name, endpoints: [{ url: 'http://a' }] }) : undefined) },
    http: { call: async () => show },
    prober: {
      async facts() {
        if (answers === undefined) throw brokenAnswer('gpu', 'is down');
        return toEndpointFacts('auto', { models: {}, ollamaVersion: {}, openApi: {}, ...answers });
      },
      forget: () => {},
    },
  });
  return (model: string, remote = 'gpu') => describeModel({ remote, model }, never);
}

test('a model has the features of its server and its context', async () => {
  expect(await describe({ models: list('vllm', 'llama') })('llama')).toEqual({
    capabilities: ['completion', 'tools'],
    contextLength: 2048,
  });
  const openApi = { paths: { '/v1/embeddings': {} } };
  expect(await describe({ models: list('vllm', 'bge'), openApi })('bge')).toMatchObject({
    capabilities: ['tools', 'embedding'],
  });
});

test('Ollama is asked about the model, whose tag may be left out', async () => {
  const answers = { models: list('library', 'llama:latest'), ollamaVersion: { version: '1' } };
  const show = { capabilities: ['completion', 'vision', 'insert', 7], model_info: { 'llama.context_length': 512 } };
  expect(await describe(answers, show)('llama')).toEqual({
    capabilities: ['completion', 'vision'],
    contextLength: 512,
  });
});

test('a model that the server does not have is refused with those that it has', async () => {
  await expect(describe({ models: list('vllm', 'a', 'b') })('c')).rejects.toThrow(
    'the remote "gpu" does not have the model "c"; it has a, b',
  );
});

test('a remote must exist, but need not be running', async () => {
  await expect(describe({})('a', 'other')).rejects.toMatchObject({ code: 'remote_not_found' });
  expect(await describe(undefined)('a')).toEqual({ capabilities: ['completion', 'tools'] });
});
