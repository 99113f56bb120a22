// Code with its language, a button that copies it, and one that shows what it draws.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../language/language.ts';
import { findPreviewKind, type PreviewKind } from '../preview/preview-kind.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { IconButton } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { findLanguage, type HighlightNode, highlight, maxHighlightedCharacters } from './highlight.ts';

interface CodeBlockProps {
  readonly code: string;
  /** As written behind the fence; may be empty. */
  readonly language: string;
  /** While code grows, it is not highlighted: each frame would take longer than the one before. */
  readonly growing: boolean;
}

export function CodeBlock({ code, language, growing }: CodeBlockProps) {
  const tree = useHighlighted(code, growing ? '' : language);
  const kind = growing ? undefined : findPreviewKind(language, code);
  const [preview, setPreview] = useState<ComponentChildren>(null);
  // Another branch has other code in this place.
  useEffect(() => setPreview(null), [code]);
  return (
    <figure class="code">
      <figcaption>
        <span>{language === '' ? t('text') : language}</span>
        <span class="code-actions">
          {kind === undefined ? null : (
            <IconButton
              icon={preview === null ? 'eye' : 'api'}
              label={preview === null ? t('Show preview') : t('Show code')}
              onClick={() => void (preview === null ? loadPreview(kind, code).then(setPreview) : setPreview(null))}
            />
          )}
          <CopyButton text={code} label={t('Copy code')} />
        </span>
      </figcaption>
      {preview ?? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards must be able to scroll it
        <pre tabIndex={0}>
          <code>{tree === undefined ? code : renderChildren(tree)}</code>
        </pre>
      )}
    </figure>
  );
}

async function loadPreview(kind: PreviewKind, code: string): Promise<ComponentChildren> {
  try {
    const { Preview } = await import('../preview/preview.tsx');
    return <Preview kind={kind} code={code} />;
  } catch {
    return <Problem text={t('The preview cannot be loaded.')} />;
  }
}

/** undefined until the language is loaded, and for code that is not highlighted. */
function useHighlighted(code: string, language: string): HighlightNode | undefined {
  const [result, setResult] = useState<{ readonly code: string; readonly tree: HighlightNode }>();
  useEffect(() => {
    const known = findLanguage(language);
    if (known === undefined || code.length > maxHighlightedCharacters) return;
    let isCurrent = true;
    highlight(code, known).then(
      (tree) => isCurrent && setResult({ code, tree }),
      // Without the library, the code stays as it is.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [code, language]);
  return result?.code === code ? result.tree : undefined;
}

function renderChildren({ children }: HighlightNode): ComponentChildren[] {
  return children.map(renderNode);
}

function renderNode(node: HighlightNode | string): ComponentChildren {
  if (typeof node === 'string') return node;
  return <span class={`hl-${node.scope?.split('.', 1)[0]}`}>{renderChildren(node)}</span>;
}
