// Which code can be shown as what it draws.

export type PreviewKind = 'html' | 'svg' | 'mermaid';

const kinds: Readonly<Record<string, PreviewKind>> = {
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  svg: 'svg',
  mermaid: 'mermaid',
  mmd: 'mermaid',
};

/** `language` is as written behind the fence. undefined: there is no preview. */
export function findPreviewKind(language: string, code: string): PreviewKind | undefined {
  const name = language.toLowerCase();
  // Models call drawings XML as well.
  if (name === 'xml') return code.trimStart().startsWith('<svg') ? 'svg' : undefined;
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}
