// A server with the endpoints of SGLang. It checks each request against the fields that SGLang publishes
// (`entrypoints/openai/protocol.py`, November 2026) and answers as SGLang does. Unlike SGLang, it does not ignore unknown
// fields: a field that SGLang ignores would be an option that is silently lost.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv, type ValidateFunction } from 'ajv';

export interface FakeSglang {
  readonly url: string;
  /** The requests so far, without those for information. */
  readonly requests: { readonly path: string; readonly body: Readonly<Record<string, unknown>> }[];
  /** What was wrong with requests. */
  readonly problems: string[];
  close(): Promise<void>;
}

const text = { type: 'string' };
const number = { type: 'number' };
const integer = { type: 'integer' };
const flag = { type: 'boolean' };
const object = { type: 'object' };
const texts = { type: 'array', items: text };
const strict = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const responseFormat = strict(
  {
    type: { enum: ['text', 'json_object', 'json_schema'] },
    json_schema: strict({ name: text, description: text, schema: object, strict: flag }, ['name']),
  },
  ['type'],
);
const sampling = {
  model: text,
  frequency_penalty: number,
  presence_penalty: number,
  repetition_penalty: number,
  logit_bias: { type: 'object', additionalProperties: number },
  max_tokens: { type: 'integer', minimum: 1 },
  n: integer,
  seed: integer,
  stop: { anyOf: [text, texts] },
  stream: flag,
  stream_options: strict({ include_usage: flag, continuous_usage_stats: flag }),
  temperature: number,
  top_p: number,
  top_k: integer,
  min_p: number,
  min_tokens: integer,
  regex: text,
  ebnf: text,
  response_format: responseFormat,
  cache_salt: text,
};
const toolCall = strict(
  { id: text, index: integer, type: { const: 'function' }, function: strict({ name: text, arguments: text }) },
  ['function'],
);
const parts = {
  type: 'array',
  items: {
    anyOf: [
      strict({ type: { const: 'text' }, text }, ['type', 'text']),
      strict({ type: { const: 'image_url' }, image_url: strict({ url: text, detail: text }, ['url']) }, ['image_url']),
    ],
  },
};
const message = strict(
  {
    role: { enum: ['system', 'developer', 'user', 'assistant', 'tool'] },
    content: { anyOf: [text, parts, { type: 'null' }] },
    tool_call_id: text,
    name: text,
    reasoning_content: text,
    tool_calls: { type: 'array', items: toolCall },
  },
  ['role'],
);
const tool = strict(
  {
    type: { const: 'function' },
    function: strict({ name: text, description: text, parameters: object, strict: flag }, ['name']),
  },
  ['function'],
);
const toolChoice = {
  anyOf: [
    { enum: ['auto', 'required', 'none'] },
    strict({ type: { const: 'function' }, function: strict({ name: text }) }, ['function']),
  ],
};

const schemas: Readonly<Record<string, object>> = {
  '/v1/chat/completions': strict(
    {
      ...sampling,
      messages: { type: 'array', items: message },
      logprobs: flag,
      top_logprobs: integer,
      tools: { type: 'array', items: tool },
      tool_choice: toolChoice,
      parallel_tool_calls: flag,
      reasoning_effort: { enum: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] },
      chat_template_kwargs: object,
    },
    ['messages'],
  ),
  '/v1/completions': strict(
    { ...sampling, prompt: { anyOf: [text, { type: 'array', items: integer }] }, logprobs: integer },
    ['prompt'],
  ),
  '/v1/tokenize': strict({ model: text, prompt: text, add_special_tokens: flag }, ['prompt']),
  '/v1/detokenize': strict({ model: text, tokens: { type: 'array', items: integer } }, ['tokens']),
  '/release_memory_occupation': strict({ tags: texts }),
  '/resume_memory_occupation': strict({ tags: texts }),
};

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const usage = { prompt_tokens: 7, total_tokens: 9, completion_tokens: 2, prompt_tokens_details: null };

function chat(response: ServerResponse): void {
  const chunk = { id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const choice = (delta: object, reason: string | null = null) =>
    event({ ...chunk, choices: [{ index: 0, delta, logprobs: null, finish_reason: reason, matched_stop: null }] });
  response.write(choice({ role: 'assistant', content: '', reasoning_content: null, tool_calls: null }));
  response.write(choice({ role: null, content: 'Hello', reasoning_content: null, tool_calls: null }));
  response.write(choice({ role: null, content: null, reasoning_content: null, tool_calls: null }, 'stop'));
  response.end(`${event({ ...chunk, choices: [], usage })}data: [DONE]\n\n`);
}

function complete(response: ServerResponse): void {
  const chunk = { id: 'a', object: 'text_completion', created: 1, model: 'm' };
  response.write(event({ ...chunk, choices: [{ index: 0, text: 'Hello', logprobs: null, finish_reason: null }] }));
  response.write(event({ ...chunk, choices: [{ index: 0, text: '', logprobs: null, finish_reason: 'stop' }] }));
  response.end(`${event({ ...chunk, choices: [], usage })}data: [DONE]\n\n`);
}

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/v1/chat/completions': chat,
  '/v1/completions': complete,
  '/v1/tokenize': (response) => response.end('{"tokens": [1, 2, 3], "count": 3, "max_model_len": 4096}'),
  '/v1/detokenize': (response) => response.end('{"text": "one two three"}'),
  '/release_memory_occupation': (response) => response.end(),
  '/resume_memory_occupation': (response) => response.end(),
};

const information: Readonly<Record<string, object | string>> = {
  '/v1/models': { object: 'list', data: [{ id: 'm', object: 'model', owned_by: 'sglang', max_model_len: 4096 }] },
  '/openapi.json': {
    info: { version: '0.5' },
    paths: Object.fromEntries(Object.keys(schemas).map((path) => [path, {}])),
  },
  '/health': '',
  '/metrics': 'sglang:num_running_reqs{model_name="m"} 1.0\nsglang:num_queue_reqs{model_name="m"} 0.0\n',
};

export async function startFakeSglang(): Promise<FakeSglang> {
  const ajv = new Ajv({ strict: false, allowUnionTypes: true });
  const validators = new Map(Object.entries(schemas).map(([path, schema]) => [path, ajv.compile(schema)]));
  const requests: FakeSglang['requests'] = [];
  const problems: string[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const known = information[path];
    if (request.method === 'GET') {
      if (known === undefined) response.writeHead(404).end('{"detail": "Not Found"}');
      else response.end(typeof known === 'string' ? known : JSON.stringify(known));
      return;
    }
    const body = await readBody(request);
    const problem = problemOf(validators.get(path), body, path);
    requests.push({ path, body });
    if (problem === undefined) answers[path]?.(response);
    else {
      problems.push(problem);
      response.writeHead(400).end(JSON.stringify({ object: 'error', message: problem, type: 'BadRequest', code: 400 }));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    problems,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}');
}

function problemOf(validate: ValidateFunction | undefined, body: object, path: string): string | undefined {
  if (validate === undefined) return `there is no ${path}`;
  if (validate(body)) return undefined;
  return (validate.errors ?? [])
    .map((error) => `${path}${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`)
    .join(', ');
}
