// A Markdown text. While it grows, only its last block is rendered again.

import { useMemo } from 'preact/hooks';
import { Block } from './block.tsx';
import { createBlockReader } from './block-reader.ts';

interface MarkdownProps {
  readonly text: string;
  /** Whether text is still added. */
  readonly growing: boolean;
}

export function Markdown({ text, growing }: MarkdownProps) {
  const reader = useMemo(createBlockReader, []);
  const blocks = reader.read(text);
  return (
    <div class="markdown">
      {blocks.map(({ start, token }, index) => (
        <Block key={start} token={token} growing={growing && index === blocks.length - 1} />
      ))}
    </div>
  );
}
