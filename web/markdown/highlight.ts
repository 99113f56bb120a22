// Highlights code with highlight.js, whose languages are loaded when they are first used. Its tree becomes elements; its
// HTML is not used.

import type { LanguageFn } from 'highlight.js';

export interface HighlightNode {
  /** Such as `keyword` or `title.function`; absent for the root. */
  readonly scope?: string;
  readonly children: readonly (HighlightNode | string)[];
}

/** Longer code takes too long on the thread of the page. */
export const maxHighlightedCharacters = 50_000;

export async function highlight(code: string, language: LanguageName): Promise<HighlightNode> {
  const [{ default: highlighter }, { default: definition }] = await Promise.all([
    import('highlight.js/lib/core'),
    languages[language](),
  ]);
  if (highlighter.getLanguage(language) === undefined) highlighter.registerLanguage(language, definition);
  const { _emitter: emitter } = highlighter.highlight(code, { language, ignoreIllegals: true });
  return (emitter as unknown as { readonly rootNode: HighlightNode }).rootNode;
}

const languages = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  dart: () => import('highlight.js/lib/languages/dart'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  elixir: () => import('highlight.js/lib/languages/elixir'),
  go: () => import('highlight.js/lib/languages/go'),
  graphql: () => import('highlight.js/lib/languages/graphql'),
  haskell: () => import('highlight.js/lib/languages/haskell'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  julia: () => import('highlight.js/lib/languages/julia'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  latex: () => import('highlight.js/lib/languages/latex'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  perl: () => import('highlight.js/lib/languages/perl'),
  php: () => import('highlight.js/lib/languages/php'),
  powershell: () => import('highlight.js/lib/languages/powershell'),
  protobuf: () => import('highlight.js/lib/languages/protobuf'),
  python: () => import('highlight.js/lib/languages/python'),
  r: () => import('highlight.js/lib/languages/r'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scala: () => import('highlight.js/lib/languages/scala'),
  scss: () => import('highlight.js/lib/languages/scss'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
} satisfies Record<string, () => Promise<{ readonly default: LanguageFn }>>;

type LanguageName = keyof typeof languages;

const otherNames: Readonly<Record<string, LanguageName>> = {
  'c++': 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  docker: 'dockerfile',
  golang: 'go',
  hs: 'haskell',
  html: 'xml',
  js: 'javascript',
  json5: 'json',
  jsonc: 'json',
  jsonl: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  make: 'makefile',
  md: 'markdown',
  mjs: 'javascript',
  patch: 'diff',
  proto: 'protobuf',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  tex: 'latex',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

/** The language of a fence such as ```py. */
export function findLanguage(name: string): LanguageName | undefined {
  const key = name.toLowerCase();
  if (Object.hasOwn(languages, key)) return key as LanguageName;
  return Object.hasOwn(otherNames, key) ? otherNames[key] : undefined;
}
