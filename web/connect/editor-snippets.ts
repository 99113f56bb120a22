// Editors, as their documentation describes it.

import { type ConnectTarget, keyVariable, type Snippet, toJson } from './snippet.ts';

/** For models whose context length is not known. */
const fallbackContext = 4096;

export const editorSnippets: readonly Snippet[] = [
  {
    title: 'Zed',
    language: 'json',
    note: 'In settings.json. Zed finds the models itself. With keys, start Zed with the key in OLLAMA_API_KEY.',
    code: ({ url }) => toJson({ language_models: { ollama: { api_url: url } } }),
  },
  {
    title: 'Continue',
    language: 'yaml',
    note: 'In ~/.continue/config.yaml. With keys, ~/.continue/.env has the line HEARTH_API_KEY=…',
    code: ({ url, model, needsKey }) =>
      [
        'name: Hearth',
        'version: 1.0.0',
        'schema: v1',
        'models:',
        `  - name: ${model} (Hearth)`,
        '    provider: ollama',
        `    model: ${model}`,
        `    apiBase: ${url}`,
        ...(needsKey ? [`    apiKey: \${{ secrets.${keyVariable} }}`] : []),
        '    roles: [chat, edit, apply]',
      ].join('\n'),
  },
  {
    title: 'VS Code',
    language: 'json',
    note: 'Chat: Manage Language Models, Add, Custom Endpoint; then in chatLanguageModels.json. VS Code asks for the key and stores it.',
    code: (target) => toJson([vsCodeProvider(target)]),
  },
];

function vsCodeProvider({ url, model, context = fallbackContext, hasTools, hasVision }: ConnectTarget): object {
  const output = Math.floor(context / 4);
  return {
    name: 'Hearth',
    vendor: 'customendpoint',
    apiType: 'chat-completions',
    models: [
      {
        id: model,
        name: model,
        url: `${url}/v1/chat/completions`,
        toolCalling: hasTools,
        vision: hasVision,
        maxInputTokens: context - output,
        maxOutputTokens: output,
      },
    ],
  };
}
