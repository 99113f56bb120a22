// What code of a model draws, in a frame that can reach neither the network nor the page. Frames with `srcdoc` have the policy
// of the page, which allows no scripts inside them, so this one is a file of its own. There is another frame in it: the policy
// of a frame also decides where frames inside it may navigate, and this one allows nothing.

import mermaidUrl from '@mermaid-js/tiny';
import { useEffect, useRef, useState } from 'preact/hooks';
import { errorText, request } from '../api/request.ts';
import { t } from '../language/language.ts';
import { Problem } from '../ui/problem.tsx';
import frameUrl from './frame.html';
import type { PreviewKind } from './preview-kind.ts';
import type { PreviewContent } from './to-document.ts';
import { watchFrame } from './watch-frame.ts';

const maxCharacters = 1_000_000;

interface PreviewProps {
  readonly kind: PreviewKind;
  readonly code: string;
}

export function Preview({ kind, code }: PreviewProps) {
  const [library, setLibrary] = useState(kind === 'mermaid' ? undefined : '');
  const [problem, setProblem] = useState('');
  const endWatch = useRef(() => {});
  useEffect(() => () => endWatch.current(), []);
  useEffect(() => {
    let isCurrent = true;
    const load = async (): Promise<void> => {
      const text = await (await request(mermaidUrl)).text();
      if (isCurrent) setLibrary(text);
    };
    if (library === undefined) load().catch((error) => isCurrent && setProblem(errorText(error)));
    return () => {
      isCurrent = false;
    };
  }, []);
  if (code.length > maxCharacters) return <Problem text={t('This code is too long for a preview.')} />;
  if (library === undefined || problem !== '') return <Problem text={problem} />;
  const isDark = kind === 'mermaid' && isPageDark();
  const content: PreviewContent = { kind, code, library, isDark };
  return (
    <iframe
      class={isDark ? 'preview' : 'preview light'}
      title={t('Preview')}
      sandbox="allow-scripts"
      referrerpolicy="no-referrer"
      src={frameUrl}
      onLoad={({ currentTarget: { contentWindow: frame } }) => {
        if (frame === null) return;
        frame.postMessage(content, '*');
        endWatch.current();
        endWatch.current = watchFrame(frame, () => setProblem(t('This preview did not answer and was ended.')));
      }}
    />
  );
}

function isPageDark(): boolean {
  const theme = document.documentElement.dataset['theme'];
  return theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
}
