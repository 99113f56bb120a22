// The programs that read the address of a server only from their files, which are JSON. Every row follows the documentation of its
// program; that of Muse Code describes no files, and its row follows what Ollama writes.

import type { ConfigFolder, ConfigValues, LaunchTarget, ProgramRow } from './program.ts';
import {
  answerPart,
  can,
  keyEnvironment,
  keyFor,
  launchKeyName,
  modelEntry,
  openAiUrl,
  piProvider,
  placeholderKey,
} from './target-values.ts';

/** Assumed by programs that require a number, if the server does not report the context. */
const assumedContext = 32_768;
/** VS Code asks for the key once, and keeps it in the key store of the system. */
const keyInput = 'input:hearth-key';
const clineProvider = 'openai-compatible';
const configFolder: ConfigFolder = { variable: 'XDG_CONFIG_HOME', folder: '.config' };

export const filePrograms: readonly ProgramRow[] = [
  {
    name: 'pi',
    title: 'Pi',
    install: 'npm install -g @earendil-works/pi-coding-agent',
    configure: (target) => ({ environment: keyEnvironment(target), args: ['--model', `hearth/${target.model}`] }),
    saved: {
      folder: { variable: 'PI_CODING_AGENT_DIR', folder: '.pi/agent' },
      name: 'models.json',
      format: 'json',
      values: (target) => ({
        providers: {
          hearth: {
            ...piProvider(target),
            apiKey: target.key === undefined ? placeholderKey : `$${launchKeyName}`,
          },
        },
      }),
      usage: ({ model }) => `pi --model hearth/${model}`,
    },
  },
  {
    name: 'cline',
    title: 'Cline',
    install: 'npm install -g cline',
    configure: (target) => ({ environment: { OPENAI_API_KEY: keyFor(target) } }),
    saved: {
      folder: { variable: 'CLINE_DATA_DIR', folder: '.cline/data' },
      name: 'settings/providers.json',
      format: 'json',
      values: clineProviders,
      // Cline drops an entry without a date, and changes the date.
      defaults: { providers: { [clineProvider]: { updatedAt: '2026-01-01T00:00:00.000Z' } } },
      usage: ({ key }) => (key === undefined ? 'cline' : `OPENAI_API_KEY=$${launchKeyName} cline`),
    },
  },
  {
    name: 'droid',
    title: 'Droid',
    folders: ['.local/bin'],
    install: 'https://docs.factory.ai/cli/getting-started/quickstart',
    configure: (target) => ({ environment: keyEnvironment(target) }),
    saved: {
      folder: { folder: '.factory' },
      name: 'settings.json',
      format: 'json',
      values: droidSettings,
      usage: () => 'droid',
    },
  },
  {
    name: 'openclaw',
    aliases: ['clawdbot', 'moltbot'],
    title: 'OpenClaw',
    install: 'npm install -g openclaw',
    // The agent runs in this process. Its gateway, which others reach, is the user's to start.
    defaultArgs: ['tui', '--local'],
    configure: (target) => ({ environment: keyEnvironment(target) }),
    saved: {
      folder: { variable: 'OPENCLAW_STATE_DIR', folder: '.openclaw' },
      name: 'openclaw.json',
      format: 'json',
      values: openclawConfig,
      usage: () => 'openclaw',
    },
  },
  {
    name: 'vscode',
    aliases: ['code'],
    title: 'Visual Studio Code',
    command: 'code',
    folders: ['/usr/bin', '/snap/bin', '/Applications/Visual Studio Code.app/Contents/Resources/app/bin'],
    install: 'https://code.visualstudio.com',
    configure: () => ({ environment: {} }),
    saved: {
      folder: configFolder,
      elsewhere: {
        darwin: { folder: 'Library/Application Support' },
        win32: { variable: 'APPDATA', folder: 'AppData/Roaming' },
      },
      name: 'Code/User/chatLanguageModels.json',
      format: 'json',
      values: (target) => [vscodeProvider(target)],
      usage: () => 'code',
    },
  },
  {
    name: 'muse',
    aliases: ['muse-code'],
    title: 'Muse Code',
    folders: ['.local/bin'],
    install: 'https://dev.meta.ai/docs/muse-code',
    sendsNoKey: true,
    configure: () => ({ environment: {} }),
    saved: {
      folder: configFolder,
      name: 'muse/settings.json',
      format: 'json',
      values: museSettings,
      usage: () => 'muse',
    },
  },
];

function clineProviders(target: LaunchTarget): ConfigValues {
  const { model, key } = target;
  // An empty key stands for OPENAI_API_KEY. A key of the user for another server must not be sent to this one.
  const apiKey = key === undefined ? placeholderKey : '';
  return {
    version: 1,
    lastUsedProvider: clineProvider,
    providers: {
      [clineProvider]: {
        settings: { provider: clineProvider, model, baseUrl: openAiUrl(target), apiKey },
        tokenSource: 'manual',
      },
    },
  };
}

function droidSettings(target: LaunchTarget): ConfigValues {
  // Droid derives the id from the name and the index.
  const id = 'custom:Hearth-0';
  return {
    customModels: [
      {
        id,
        index: 0,
        displayName: 'Hearth',
        model: target.model,
        baseUrl: openAiUrl(target),
        apiKey: target.key === undefined ? placeholderKey : `\${${launchKeyName}}`,
        provider: 'generic-chat-completion-api',
        maxOutputTokens: answerPart(target.context ?? assumedContext),
        noImageSupport: !can(target, 'vision'),
      },
    ],
    sessionDefaultSettings: { model: id },
  };
}

function openclawConfig(target: LaunchTarget): ConfigValues {
  // A text with a variable in it would make the whole file invalid when the variable is not set.
  const keyReference = { source: 'env', provider: 'default', id: launchKeyName };
  return {
    models: {
      providers: {
        hearth: {
          baseUrl: openAiUrl(target),
          api: 'openai-completions',
          apiKey: target.key === undefined ? placeholderKey : keyReference,
          models: [{ ...modelEntry(target), cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }],
        },
      },
    },
    agents: { defaults: { model: { primary: `hearth/${target.model}` } } },
  };
}

function vscodeProvider(target: LaunchTarget): ConfigValues {
  const { model, context = assumedContext } = target;
  return {
    name: 'Hearth',
    vendor: 'customendpoint',
    apiType: 'chat-completions',
    apiKey: target.key === undefined ? placeholderKey : `\${${keyInput}}`,
    models: [
      {
        id: model,
        name: model,
        url: `${openAiUrl(target)}/chat/completions`,
        toolCalling: can(target, 'tools'),
        vision: can(target, 'vision'),
        maxInputTokens: context - answerPart(context),
        maxOutputTokens: answerPart(context),
      },
    ],
  };
}

function museSettings(target: LaunchTarget): ConfigValues {
  const { model, context = assumedContext } = target;
  return {
    schema_version: 1,
    provider: 'meta',
    model,
    endpoint_transport: { base_url: openAiUrl(target), auth: 'none' },
    model_catalog: [
      {
        model_id: model,
        provider_id: 'meta',
        profile_id: 'tbh',
        display_label: model,
        visibility: 'visible',
        display_order: 0,
        is_default: true,
        context_limit: context,
        output_limit: answerPart(context),
        description: 'Served by Hearth',
      },
    ],
  };
}
