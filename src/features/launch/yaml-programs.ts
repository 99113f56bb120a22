// The programs that read the address of a server only from their files, which are YAML. Every row follows the
// documentation of its program.

import type { ConfigValues, LaunchTarget, ProgramRow } from './program.ts';
import {
  keyEnvironment,
  keyFor,
  launchKeyName,
  modelEntry,
  openAiUrl,
  piProvider,
  placeholderKey,
} from './target-values.ts';

const hermes = {
  command: 'hermes',
  folders: ['.local/bin'],
  install: 'https://hermes-agent.nousresearch.com/docs/getting-started/installation/',
} as const;
const hermesFile = {
  folder: { variable: 'HERMES_HOME', folder: '.hermes' },
  elsewhere: { win32: { variable: 'HERMES_HOME', folder: 'AppData/Local/hermes' } },
  name: 'config.yaml',
  format: 'yaml',
} as const;

export const yamlPrograms: readonly ProgramRow[] = [
  {
    name: 'hermes',
    title: 'Hermes Agent',
    ...hermes,
    configure: (target) => ({
      environment: keyEnvironment(target),
      args: ['--provider', 'hearth', '--model', target.model],
    }),
    saved: {
      ...hermesFile,
      values: (target) => ({ providers: hermesProviders(target) }),
      usage: ({ model }) => `hermes --provider hearth --model ${model}`,
    },
  },
  {
    name: 'hermes-desktop',
    title: 'Hermes Desktop',
    ...hermes,
    configure: (target) => ({ environment: keyEnvironment(target), args: ['desktop'] }),
    saved: {
      ...hermesFile,
      values: (target) => ({
        model: { provider: 'hearth', default: target.model, base_url: openAiUrl(target) },
        providers: hermesProviders(target),
      }),
      usage: () => 'hermes desktop',
    },
  },
  {
    name: 'omp',
    title: 'Oh My Pi',
    folders: ['.local/bin', '.bun/bin'],
    install: 'https://omp.sh',
    configure: (target) => ({ environment: keyEnvironment(target), args: ['--model', `hearth/${target.model}`] }),
    saved: {
      folder: { variable: 'PI_CODING_AGENT_DIR', folder: '.omp/agent' },
      name: 'models.yml',
      format: 'yaml',
      values: (target) => ({
        providers: {
          hearth: {
            ...piProvider(target),
            // A text that is the name of a variable stands for its value.
            apiKey: target.key === undefined ? placeholderKey : launchKeyName,
          },
        },
      }),
      usage: ({ model }) => `omp --model hearth/${model}`,
    },
  },
  {
    name: 'dsh',
    aliases: ['deepseek-harness'],
    title: 'DeepSeek Harness',
    install: 'npm install -g @deepseek-ai/dsh',
    defaultArgs: ['web'],
    configure: (target) => ({ environment: { [launchKeyName]: keyFor(target) } }),
    saved: {
      folder: { variable: 'DSH_HOME', folder: '.dsh' },
      name: 'settings.yaml',
      format: 'yaml',
      values: dshSettings,
      // DeepSeek Harness requires a key.
      usage: ({ key }) => (key === undefined ? `${launchKeyName}=${placeholderKey} dsh web` : 'dsh web'),
    },
  },
];

function hermesProviders(target: LaunchTarget): ConfigValues {
  const { model, key } = target;
  return {
    hearth: {
      name: 'Hearth',
      base_url: openAiUrl(target),
      key_env: key === undefined ? undefined : launchKeyName,
      default_model: model,
      models: { [model]: { context_length: target.context } },
    },
  };
}

function dshSettings(target: LaunchTarget): ConfigValues {
  return {
    'agent-default-model': { provider: 'hearth', model: target.model },
    'llm-pi-ai': {
      providers: {
        hearth: {
          displayName: 'Hearth',
          api: 'openai-completions',
          apiKeyEnv: launchKeyName,
          baseURL: openAiUrl(target),
          models: [modelEntry(target)],
        },
      },
    },
  };
}
