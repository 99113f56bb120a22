// The programs that `hearth launch` can start, in the order of the list. Every row follows the documentation of its
// program. Programs that learn the address of a server only from a file of the user are left out.

import type { ConfigValues, LaunchTarget, Program } from './program.ts';

// Programs require a key, and a server without keys accepts any. The user's keys for other services must not be sent to it.
const anyKey = 'hearth';
// Configuration files and arguments name this variable instead of the key.
const keyVariable = 'HEARTH_API_KEY';
// Recommended for agents by the documentation of Ollama.
const agentContext = 64_000;

export const programTable: readonly Program[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    command: 'claude',
    folders: ['.local/bin', '.claude/local'],
    install: 'npm install -g @anthropic-ai/claude-code',
    minContext: agentContext,
    needsTools: true,
    configure(target) {
      const shown = claudeEnvironment(target);
      // Settings files win over the environment, and this flag wins over settings files.
      const settings = JSON.stringify({ env: shown });
      const environment = { ...shown, ANTHROPIC_AUTH_TOKEN: keyOf(target) };
      return { environment, args: ['--settings', settings, '--model', target.model] };
    },
    save: (target) => ({
      file: { variable: 'CLAUDE_CONFIG_DIR', folder: '.claude', name: 'settings.json' },
      format: 'json',
      values: { env: claudeEnvironment(target), model: target.model },
      // The file of Claude Code cannot name a variable.
      usage: target.key === undefined ? 'claude' : `ANTHROPIC_AUTH_TOKEN=$${keyVariable} claude`,
    }),
  },
  {
    name: 'codex',
    title: 'Codex',
    command: 'codex',
    install: 'npm install -g @openai/codex',
    minContext: agentContext,
    needsTools: true,
    // `-m` is a flag of each subcommand, `-c` applies to all of them.
    configure: (target) => ({ environment: keyEnvironment(target), args: toOverrides(codexConfig(target)) }),
    save: (target) => ({
      file: { variable: 'CODEX_HOME', folder: '.codex', name: 'hearth.config.toml' },
      format: 'toml',
      values: codexConfig(target),
      usage: 'codex --profile hearth',
    }),
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    command: 'opencode',
    folders: ['.opencode/bin'],
    install: 'npm install -g opencode-ai',
    minContext: agentContext,
    needsTools: true,
    configure: (target) => ({
      environment: { OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(target)), ...keyEnvironment(target) },
      args: [],
    }),
    save: (target) => ({
      file: { variable: 'XDG_CONFIG_HOME', folder: '.config', name: 'opencode/opencode.json' },
      format: 'json',
      values: opencodeConfig(target),
      usage: 'opencode',
    }),
  },
  {
    name: 'copilot',
    title: 'GitHub Copilot CLI',
    command: 'copilot',
    folders: ['.local/bin'],
    install: 'npm install -g @github/copilot',
    minContext: 128_000,
    needsTools: true,
    configure: (target) => ({
      environment: {
        COPILOT_PROVIDER_TYPE: 'openai',
        COPILOT_PROVIDER_BASE_URL: openAiUrl(target),
        COPILOT_PROVIDER_API_KEY: keyOf(target),
        COPILOT_PROVIDER_WIRE_API: 'completions',
        COPILOT_MODEL: target.model,
        ...withContext(target, (context) => ({
          COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(context - answerPart(context)),
          COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: String(answerPart(context)),
        })),
      },
      args: [],
    }),
  },
  {
    name: 'qwen',
    title: 'Qwen Code',
    command: 'qwen',
    folders: ['.local/bin'],
    install: 'npm install -g @qwen-code/qwen-code',
    minContext: agentContext,
    needsTools: true,
    configure: (target) => ({
      environment: { OPENAI_BASE_URL: openAiUrl(target), OPENAI_API_KEY: keyOf(target), OPENAI_MODEL: target.model },
      args: ['--auth-type', 'openai', '--openai-base-url', openAiUrl(target), '--model', target.model],
    }),
  },
  {
    name: 'goose',
    title: 'Goose',
    command: 'goose',
    folders: ['.local/bin'],
    install: 'https://goose-docs.ai/docs/getting-started/installation/',
    minContext: agentContext,
    needsTools: true,
    defaultArgs: ['session'],
    configure: (target) => ({
      environment: {
        ...gooseProvider(target),
        GOOSE_MODEL: target.model,
        ...withContext(target, (context) => ({ GOOSE_CONTEXT_LIMIT: String(context) })),
      },
      args: [],
    }),
  },
  {
    name: 'aider',
    title: 'Aider',
    command: 'aider',
    folders: ['.local/bin'],
    install: 'python -m pip install aider-install && aider-install',
    minContext: 8192,
    needsTools: false,
    // Aider's Ollama provider would request another context length, and thus a reload, with every prompt.
    configure: (target) => ({
      environment: { OPENAI_API_BASE: openAiUrl(target), OPENAI_API_KEY: keyOf(target) },
      args: ['--model', `openai/${target.model}`],
    }),
  },
];

function keyOf({ key = anyKey }: LaunchTarget): string {
  return key;
}

function keyEnvironment({ key }: LaunchTarget): Readonly<Record<string, string>> {
  return key === undefined ? {} : { [keyVariable]: key };
}

/** Goose's provider for Ollama sends no key. */
function gooseProvider({ url, key }: LaunchTarget): Readonly<Record<string, string>> {
  return key === undefined
    ? { GOOSE_PROVIDER: 'ollama', OLLAMA_HOST: url }
    : { GOOSE_PROVIDER: 'openai', OPENAI_HOST: url, OPENAI_API_KEY: key };
}

function openAiUrl({ url }: LaunchTarget): string {
  return `${url}/v1`;
}

function withContext<T extends object>({ context }: LaunchTarget, entries: (context: number) => T): Partial<T> {
  return context === undefined ? {} : entries(context);
}

/** Tokens of the context that are left for an answer. */
function answerPart(context: number): number {
  return Math.floor(context / 4);
}

/** Without the key of the user. */
function claudeEnvironment({ url, model, context, key }: LaunchTarget): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: url,
    ...(key === undefined ? { ANTHROPIC_AUTH_TOKEN: anyKey } : {}),
    ANTHROPIC_API_KEY: '',
    ANTHROPIC_DEFAULT_OPUS_MODEL: model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    CLAUDE_CODE_SUBAGENT_MODEL: model,
    ...(context === undefined ? {} : { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(context) }),
    // Both change the prompt with every request, so that its prefix could not be reused.
    CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
    CLAUDE_CODE_TOTAL_TOKENS_REMINDER: 'off',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_FEEDBACK_COMMAND: '1',
  };
}

function codexConfig(target: LaunchTarget): ConfigValues {
  return {
    model: target.model,
    model_provider: 'hearth',
    ...(target.context === undefined ? {} : { model_context_window: target.context }),
    model_providers: {
      hearth: {
        name: 'Hearth',
        base_url: openAiUrl(target),
        wire_api: 'responses',
        ...(target.key === undefined ? {} : { env_key: keyVariable }),
      },
    },
  };
}

/** As flags of Codex: a path with dots, and a TOML value. A JSON string or number is one. */
function toOverrides(values: ConfigValues, path = ''): string[] {
  return Object.entries(values).flatMap(([key, value]) =>
    typeof value === 'object' ? toOverrides(value, `${path}${key}.`) : ['-c', `${path}${key}=${JSON.stringify(value)}`],
  );
}

function opencodeConfig(target: LaunchTarget): ConfigValues {
  const { model } = target;
  const limits = withContext(target, (context) => ({ limit: { context, output: answerPart(context) } }));
  return {
    model: `hearth/${model}`,
    small_model: `hearth/${model}`,
    provider: {
      hearth: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Hearth',
        options: {
          baseURL: openAiUrl(target),
          ...(target.key === undefined ? {} : { apiKey: `{env:${keyVariable}}` }),
        },
        models: { [model]: { name: model, ...limits } },
      },
    },
  };
}
