// Coding agents. test/clients/snippets.test.ts compares these with what `hearth launch` passes to them.

import { anyKey, type ConnectTarget, keyVariable, type Snippet, toJson } from './snippet.ts';

export const agentSnippets: readonly Snippet[] = [
  {
    title: 'Claude Code',
    language: 'bash',
    note: 'On a machine that has hearth, "hearth launch claude" does the same.',
    code: ({ url, model, needsKey }) => `export ANTHROPIC_BASE_URL=${url}
export ANTHROPIC_AUTH_TOKEN=${needsKey ? `$${keyVariable}` : anyKey}
export ANTHROPIC_API_KEY=
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${model}
export CLAUDE_CODE_ATTRIBUTION_HEADER=0
claude --model ${model}`,
  },
  {
    title: 'Codex',
    language: 'toml',
    note: 'In ~/.codex/hearth.config.toml; then "codex --profile hearth". Or "hearth launch codex" without a file.',
    code: ({ url, model, context, needsKey }) =>
      [
        `model = "${model}"`,
        'model_provider = "hearth"',
        ...(context === undefined ? [] : [`model_context_window = ${context}`]),
        '',
        '[model_providers.hearth]',
        'name = "Hearth"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
        ...(needsKey ? [`env_key = "${keyVariable}"`] : []),
      ].join('\n'),
  },
  {
    title: 'OpenCode',
    language: 'json',
    note: 'In ~/.config/opencode/opencode.json. Or "hearth launch opencode" without a file.',
    code: (target) => toJson(opencodeConfig(target)),
  },
];

function opencodeConfig({ url, model, context, needsKey }: ConnectTarget): object {
  const limit = context === undefined ? {} : { limit: { context, output: Math.floor(context / 4) } };
  return {
    model: `hearth/${model}`,
    small_model: `hearth/${model}`,
    provider: {
      hearth: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Hearth',
        options: { baseURL: `${url}/v1`, apiKey: needsKey ? `{env:${keyVariable}}` : undefined },
        models: { [model]: { name: model, ...limit } },
      },
    },
  };
}
