// The agents, and how each is started without questions and without its services on the internet. Only Linux: the tests
// run in a network namespace.

import { repository } from '../support/repository.ts';

export interface Agent {
  readonly name: string;
  /** The route that it uses. */
  readonly path: '/v1/responses' | '/v1/messages' | '/v1/chat/completions';
  /** The call of its tool for shell commands. */
  shellCall(command: string): { readonly name: string; readonly arguments: Readonly<Record<string, string>> };
  /** What it says about a prompt that does not fit into the context. Absent: the route shortens such prompts. */
  readonly tooLong?: RegExp;
  start(task: AgentTask): AgentStart;
}

export interface AgentTask {
  readonly url: string;
  readonly model: string;
  readonly contextLength: number;
  readonly question: string;
}

export interface AgentStart {
  readonly command: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const installed = (path: string): string => repository(`test/agents/node_modules/${path}`);

const codex = {
  path: '/v1/responses',
  shellCall: (command: string) => ({ name: 'exec_command', arguments: { cmd: command } }),
  tooLong: /ran out of room in the model's context window/,
} as const;

function startCodex({ model, question }: AgentTask, words: readonly string[]): Omit<AgentStart, 'environment'> {
  const always = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
  return {
    command: process.execPath,
    words: [
      installed('@openai/codex/bin/codex.js'),
      ...always,
      ...['-c', 'analytics.enabled=false', '-m', model],
      ...words,
      question,
    ],
  };
}

export const agents: readonly Agent[] = [
  {
    ...codex,
    name: 'Codex',
    start(task) {
      const provider = { name: 'Hearth', base_url: `${task.url}/v1`, wire_api: 'responses' };
      const settings = Object.entries(provider).map(([key, value]) => `model_providers.hearth.${key}="${value}"`);
      const words = ['model_provider="hearth"', ...settings].flatMap((setting) => ['-c', setting]);
      return { ...startCodex(task, words), environment: {} };
    },
  },
  {
    ...codex,
    name: 'Codex with its provider for Ollama',
    start(task) {
      const words = ['--oss', '--local-provider', 'ollama', '-c', 'model_provider="ollama"'];
      return { ...startCodex(task, words), environment: { CODEX_OSS_BASE_URL: `${task.url}/v1` } };
    },
  },
  {
    name: 'Claude Code',
    path: '/v1/messages',
    shellCall: (command) => ({ name: 'Bash', arguments: { command } }),
    // Both figures are from the server.
    tooLong: /Prompt is too long .* ~\d{5} tokens \(limit 4095\)/,
    start: ({ url, model, question }) => ({
      command: installed(`@anthropic-ai/claude-code-linux-${process.arch}/claude`),
      words: ['-p', question, '--model', model, '--allowedTools', 'Bash'],
      environment: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_AUTH_TOKEN: 'none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        // It does not run as root outside of a sandbox.
        IS_SANDBOX: '1',
      },
    }),
  },
  {
    name: 'opencode',
    path: '/v1/chat/completions',
    shellCall: (command) => ({ name: 'bash', arguments: { command } }),
    start: ({ url, model, contextLength, question }) => ({
      // The build for older processors runs on all.
      command: installed(`opencode-linux-${process.arch === 'x64' ? 'x64-baseline' : process.arch}/bin/opencode`),
      words: ['run', '--model', `hearth/${model}`, question],
      environment: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          share: 'disabled',
          autoupdate: false,
          permission: 'allow',
          provider: {
            hearth: {
              npm: '@ai-sdk/openai-compatible',
              options: { baseURL: `${url}/v1` },
              models: { [model]: { tool_call: true, limit: { context: contextLength, output: 4096 } } },
            },
          },
        }),
      },
    }),
  },
];
