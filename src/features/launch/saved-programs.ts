// The programs that learn everything about a server from variables and arguments, and can have it in a file instead. Every
// row follows the documentation of its program.

import type { ConfigValues, LaunchTarget, ProgramRow } from './program.ts';
import {
  answerPart,
  keyEnvironment,
  keyFor,
  launchKeyName,
  openAiUrl,
  placeholderKey,
  withContext,
} from './target-values.ts';

export const savedPrograms: readonly ProgramRow[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    folders: ['.local/bin', '.claude/local'],
    install: 'npm install -g @anthropic-ai/claude-code',
    configure(target) {
      const shown = claudeEnvironment(target);
      // Settings files win over the environment, and this flag wins over settings files.
      const settings = JSON.stringify({ env: shown });
      const environment = { ...shown, ANTHROPIC_AUTH_TOKEN: keyFor(target) };
      return { environment, args: ['--settings', settings, '--model', target.model] };
    },
    saved: {
      folder: { variable: 'CLAUDE_CONFIG_DIR', folder: '.claude' },
      name: 'settings.json',
      format: 'json',
      values: (target) => ({ env: claudeEnvironment(target), model: target.model }),
      // The file of Claude Code cannot name a variable.
      usage: ({ key }) => (key === undefined ? 'claude' : `ANTHROPIC_AUTH_TOKEN=$${launchKeyName} claude`),
    },
  },
  {
    name: 'codex',
    title: 'Codex',
    install: 'npm install -g @openai/codex',
    // `-m` is a flag of each subcommand, `-c` applies to all of them.
    configure: (target) => ({ environment: keyEnvironment(target), args: toOverrides(codexConfig(target)) }),
    saved: {
      folder: { variable: 'CODEX_HOME', folder: '.codex' },
      name: 'hearth.config.toml',
      format: 'toml',
      values: codexConfig,
      usage: () => 'codex --profile hearth',
    },
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    folders: ['.opencode/bin'],
    install: 'npm install -g opencode-ai',
    configure: (target) => ({
      environment: { OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(target)), ...keyEnvironment(target) },
    }),
    saved: {
      folder: { variable: 'XDG_CONFIG_HOME', folder: '.config' },
      name: 'opencode/opencode.json',
      format: 'json',
      values: opencodeConfig,
      usage: () => 'opencode',
    },
  },
];

/** Without the key of the user. */
function claudeEnvironment({ url, model, context, key }: LaunchTarget): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: url,
    ...(key === undefined ? { ANTHROPIC_AUTH_TOKEN: placeholderKey } : {}),
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
    model_context_window: target.context,
    model_providers: {
      hearth: {
        name: 'Hearth',
        base_url: openAiUrl(target),
        wire_api: 'responses',
        env_key: target.key === undefined ? undefined : launchKeyName,
      },
    },
  };
}

/** As flags of Codex: a path with dots, and a TOML value. A JSON string or number is one. */
function toOverrides(values: object, path = ''): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (typeof value === 'object') return toOverrides(value, `${path}${key}.`);
    return ['-c', `${path}${key}=${JSON.stringify(value)}`];
  });
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
          apiKey: target.key === undefined ? undefined : `{env:${launchKeyName}}`,
        },
        models: { [model]: { name: model, ...limits } },
      },
    },
  };
}
