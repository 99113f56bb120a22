// The programs that learn everything about a server from variables and arguments, for one run only. Every row follows the
// documentation of its program.

import type { LaunchTarget, ProgramRow } from './program.ts';
import { answerPart, can, keyFor, openAiUrl, withContext } from './target-values.ts';

export const runPrograms: readonly ProgramRow[] = [
  {
    name: 'copilot',
    aliases: ['copilot-cli'],
    title: 'GitHub Copilot CLI',
    folders: ['.local/bin'],
    install: 'npm install -g @github/copilot',
    minContext: 128_000,
    configure: (target) => ({
      environment: {
        COPILOT_PROVIDER_TYPE: 'openai',
        COPILOT_PROVIDER_BASE_URL: openAiUrl(target),
        COPILOT_PROVIDER_API_KEY: keyFor(target),
        COPILOT_PROVIDER_WIRE_API: 'completions',
        COPILOT_MODEL: target.model,
        ...withContext(target, (context) => ({
          COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(context - answerPart(context)),
          COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: String(answerPart(context)),
        })),
      },
    }),
  },
  {
    name: 'qwen',
    title: 'Qwen Code',
    folders: ['.local/bin'],
    install: 'npm install -g @qwen-code/qwen-code',
    configure: (target) => ({
      environment: { OPENAI_BASE_URL: openAiUrl(target), OPENAI_API_KEY: keyFor(target), OPENAI_MODEL: target.model },
      args: ['--auth-type', 'openai', '--openai-base-url', openAiUrl(target), '--model', target.model],
    }),
  },
  {
    name: 'goose',
    title: 'Goose',
    folders: ['.local/bin'],
    install: 'https://goose-docs.ai/docs/getting-started/installation/',
    defaultArgs: ['session'],
    configure: (target) => ({
      environment: {
        ...gooseProvider(target),
        GOOSE_MODEL: target.model,
        ...withContext(target, (context) => ({ GOOSE_CONTEXT_LIMIT: String(context) })),
      },
    }),
  },
  {
    name: 'aider',
    title: 'Aider',
    folders: ['.local/bin'],
    install: 'python -m pip install aider-install && aider-install',
    minContext: 8192,
    needsTools: false,
    // Aider's Ollama provider would request another context length, and thus a reload, with every prompt.
    configure: (target) => ({
      environment: { OPENAI_API_BASE: openAiUrl(target), OPENAI_API_KEY: keyFor(target) },
      args: ['--model', `openai/${target.model}`],
    }),
  },
  {
    name: 'kimi',
    title: 'Kimi Code',
    folders: ['.local/bin', '.kimi-code/bin'],
    install: 'npm install -g @moonshot-ai/kimi-code',
    configure: (target) => ({
      environment: {
        KIMI_MODEL_NAME: target.model,
        KIMI_MODEL_API_KEY: keyFor(target),
        KIMI_MODEL_PROVIDER_TYPE: 'openai',
        KIMI_MODEL_BASE_URL: openAiUrl(target),
        KIMI_MODEL_CAPABILITIES: kimiCapabilities(target),
        ...withContext(target, (context) => ({ KIMI_MODEL_MAX_CONTEXT_SIZE: String(context) })),
      },
    }),
  },
  {
    name: 'pool',
    title: 'Poolside',
    folders: ['.local/bin'],
    install: 'https://github.com/poolsideai/pool',
    configure: (target) => ({
      environment: { POOLSIDE_STANDALONE_BASE_URL: openAiUrl(target), POOLSIDE_API_KEY: keyFor(target) },
      args: ['--model', target.model],
    }),
  },
];

/** Goose's provider for Ollama sends no key. */
function gooseProvider({ url, key }: LaunchTarget): Readonly<Record<string, string>> {
  return key === undefined
    ? { GOOSE_PROVIDER: 'ollama', OLLAMA_HOST: url }
    : { GOOSE_PROVIDER: 'openai', OPENAI_HOST: url, OPENAI_API_KEY: key };
}

/** The variable replaces capabilities that Kimi Code assumes without it. */
function kimiCapabilities(target: LaunchTarget): string {
  const names = { vision: 'image_in', thinking: 'thinking', tools: 'tool_use' };
  return Object.entries(names)
    .filter(([capability]) => can(target, capability))
    .map(([, name]) => name)
    .join(',');
}
