// Commands and SDKs. test/clients/snippets.test.ts runs those in shell and TypeScript.

import { anyKey, type ConnectTarget, keyVariable, question, type Snippet, toJson, toLiteral } from './snippet.ts';

export const commandSnippets: readonly Snippet[] = [
  {
    title: 'hearth',
    language: 'bash',
    note: 'Chats in the terminal. Without HEARTH_HOST, the command uses the server on the same machine.',
    code: ({ url, model }) => `HEARTH_HOST=${url} hearth run ${model} ${toLiteral(question)}`,
  },
  {
    title: 'Ollama API (curl)',
    language: 'bash',
    note: 'With "stream": true, or without the field, each part of the answer arrives as one line.',
    code: (target) => curl(target, '/api/chat', { ...chat(target), stream: false }),
  },
  {
    title: 'OpenAI API (curl)',
    language: 'bash',
    note: 'Also available: /v1/responses, /v1/completions and /v1/embeddings.',
    code: (target) => curl(target, '/v1/chat/completions', chat(target)),
  },
  {
    title: 'Anthropic API (curl)',
    language: 'bash',
    note: 'Also available: /v1/messages/count_tokens.',
    code: (target) => curl(target, '/v1/messages', { ...chat(target), max_tokens: 1000 }),
  },
];

export const pythonSnippets: readonly Snippet[] = [
  {
    title: 'Python, ollama',
    language: 'python',
    install: 'pip install ollama',
    code: ({ url, model, needsKey }) => `${needsKey ? 'import os\n' : ''}from ollama import Client

client = Client(host=${toLiteral(url)}${needsKey ? `, headers={"Authorization": "Bearer " + ${pythonKey}}` : ''})
reply = client.chat(model=${toLiteral(model)}, messages=[{"role": "user", "content": ${toLiteral(question)}}])
print(reply.message.content)`,
  },
  {
    title: 'Python, openai',
    language: 'python',
    install: 'pip install openai',
    code: ({ url, model, needsKey }) => `${needsKey ? 'import os\n' : ''}from openai import OpenAI

client = OpenAI(base_url=${toLiteral(`${url}/v1`)}, api_key=${needsKey ? pythonKey : toLiteral(anyKey)})
reply = client.chat.completions.create(
    model=${toLiteral(model)},
    messages=[{"role": "user", "content": ${toLiteral(question)}}],
)
print(reply.choices[0].message.content)`,
  },
  {
    title: 'Python, anthropic',
    language: 'python',
    install: 'pip install anthropic',
    code: ({ url, model, needsKey }) => `${needsKey ? 'import os\n' : ''}from anthropic import Anthropic

client = Anthropic(base_url=${toLiteral(url)}, api_key=${needsKey ? pythonKey : toLiteral(anyKey)})
reply = client.messages.create(
    model=${toLiteral(model)},
    max_tokens=1000,
    messages=[{"role": "user", "content": ${toLiteral(question)}}],
)
print(reply.content[0].text)`,
  },
];

export const typescriptSnippets: readonly Snippet[] = [
  {
    title: 'TypeScript, ollama',
    language: 'typescript',
    install: 'npm install ollama',
    code: ({ url, model, needsKey }) => `import { Ollama } from 'ollama';

const client = new Ollama({
  host: ${toLiteral(url)},${needsKey ? `\n  headers: { Authorization: \`Bearer \${${scriptKey}}\` },` : ''}
});
const reply = await client.chat({
  model: ${toLiteral(model)},
  messages: [{ role: 'user', content: ${toLiteral(question)} }],
});
console.log(reply.message.content);`,
  },
  {
    title: 'TypeScript, openai',
    language: 'typescript',
    install: 'npm install openai',
    code: ({ url, model, needsKey }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${toLiteral(`${url}/v1`)}, apiKey: ${needsKey ? scriptKey : toLiteral(anyKey)} });
const reply = await client.chat.completions.create({
  model: ${toLiteral(model)},
  messages: [{ role: 'user', content: ${toLiteral(question)} }],
});
console.log(reply.choices[0].message.content);`,
  },
  {
    title: 'TypeScript, @anthropic-ai/sdk',
    language: 'typescript',
    install: 'npm install @anthropic-ai/sdk',
    code: ({ url, model, needsKey }) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: ${toLiteral(url)}, apiKey: ${needsKey ? scriptKey : toLiteral(anyKey)} });
const reply = await client.messages.create({
  model: ${toLiteral(model)},
  max_tokens: 1000,
  messages: [{ role: 'user', content: ${toLiteral(question)} }],
});
for (const block of reply.content) if (block.type === 'text') console.log(block.text);`,
  },
];

const pythonKey = `os.environ["${keyVariable}"]`;
const scriptKey = `process.env.${keyVariable}`;

function chat({ model }: ConnectTarget): object {
  return { model, messages: [{ role: 'user', content: question }] };
}

function curl({ url, needsKey }: ConnectTarget, path: string, body: object): string {
  const header = needsKey ? `  -H "Authorization: Bearer $${keyVariable}" \\\n` : '';
  return `curl ${url}${path} \\\n${header}  -d '${toJson(body)}'`;
}
