// The API with fetch, without dependencies. node20: does not run TypeScript files, so the types
// are JSDoc comments; `npx tsc -p examples` checks them.
//
//   node examples/node.mjs [address]

import { argv, stdout } from 'node:process';

const server = argv[2] ?? 'http://127.0.0.1:11434';
const model = 'ember';
// At temperature 0 the model always chooses the most likely token, so the output is the same every time.
const options = { temperature: 0 };

/** @typedef {{ function: { name: string, arguments: { location: string } } }} ToolCall */
/** @typedef {{ role: string, content: string, tool_calls?: ToolCall[], tool_name?: string }} Message */
/** @typedef {{ response: string, error?: string }} GenerateObject */
/** @typedef {{ choices: { delta: { content?: string } }[], error?: { message: string } }} CompletionChunk */

/**
 * @param {string} path
 * @param {object} [body]
 */
async function send(path, body) {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(server + path, body === undefined ? {} : post);
  if (!response.ok) throw new Error(`${path}: status ${response.status}: ${await response.text()}`);
  return response;
}

/**
 * @template Answer
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<Answer>}
 */
async function ask(path, body) {
  const response = await send(path, body);
  return /** @type {Answer} */ (await response.json());
}

/** @param {Response} response */
async function* linesOf(response) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

async function listModels() {
  /** @type {{ models: { name: string }[] }} */
  const { models } = await ask('/api/tags');
  for (const { name } of models) stdout.write(`${name}\n`);
}

async function generate() {
  const response = await send('/api/generate', { model, prompt: 'Why is the sky blue?', options });
  for await (const line of linesOf(response)) {
    /** @type {GenerateObject} */
    const object = JSON.parse(line);
    // The status is sent before the first object. An error after that is the last object of the stream.
    if (object.error !== undefined) throw new Error(object.error);
    stdout.write(object.response);
  }
  stdout.write('\n');
}

const weatherTool = {
  type: 'function',
  function: {
    name: 'get_current_weather',
    description: 'Get the current weather for a location',
    parameters: {
      type: 'object',
      properties: { location: { type: 'string', description: 'The location to get the weather for' } },
      required: ['location'],
    },
  },
};

/** @param {ToolCall} call */
function runTool(call) {
  const { name, arguments: given } = call.function;
  stdout.write(`${name}: ${given.location}\n`);
  return JSON.stringify({ temperature: 18, condition: 'sunny' });
}

async function chatWithTool() {
  /** @type {Message[]} */
  const messages = [{ role: 'user', content: 'Get the current weather for Paris in celsius.' }];
  const request = { model, messages, tools: [weatherTool], stream: false, options };
  /** @type {{ message: Message }} */
  const { message: call } = await ask('/api/chat', request);
  if (call.tool_calls === undefined) throw new Error(`the model did not call the tool: ${call.content}`);
  messages.push(call);
  // Hearth does not run tools. The program does, and sends the results back.
  for (const toolCall of call.tool_calls)
    messages.push({ role: 'tool', tool_name: toolCall.function.name, content: runTool(toolCall) });
  /** @type {{ message: Message }} */
  const { message: answer } = await ask('/api/chat', request);
  stdout.write(`${answer.content}\n`);
}

async function embed() {
  const query = 'The sky is blue.';
  const texts = ['Paris is the capital of France.', 'The sea is blue.', '2 + 2 = 4'];
  /** @type {{ embeddings: number[][] }} */
  const { embeddings } = await ask('/api/embed', { model, input: [query, ...texts] });
  const [queryVector = [], ...vectors] = embeddings;
  // The vectors have length 1, so the dot product is the cosine of the angle between them.
  const scores = vectors.map((vector) =>
    vector.reduce((sum, value, index) => sum + value * (queryVector[index] ?? 0), 0),
  );
  const closest = texts[scores.indexOf(Math.max(...scores))];
  stdout.write(`closest to "${query}": "${closest}"\n`);
}

async function completeWithOpenAi() {
  const messages = [{ role: 'user', content: 'What is the capital of France?' }];
  const response = await send('/v1/chat/completions', { model, messages, temperature: 0, stream: true });
  for await (const line of linesOf(response)) {
    const data = line.replace(/^data: /, '');
    if (data === '' || data === '[DONE]') continue;
    /** @type {CompletionChunk} */
    const chunk = JSON.parse(data);
    if (chunk.error !== undefined) throw new Error(chunk.error.message);
    stdout.write(chunk.choices[0]?.delta.content ?? '');
  }
  stdout.write('\n');
}

stdout.write('== Models\n');
await listModels();
stdout.write('\n== Generate\n');
await generate();
stdout.write('\n== Chat with a tool\n');
await chatWithTool();
stdout.write('\n== Embeddings\n');
await embed();
stdout.write('\n== OpenAI dialect\n');
await completeWithOpenAi();
