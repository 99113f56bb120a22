// A page of a PDF as it looks, with a passage marked.

import { useEffect, useRef, useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { drawPage } from './draw-page.ts';
import type { PassageLine } from './pdf-page.ts';

interface PdfPageViewProps {
  /** The address of the file. */
  readonly path: string;
  readonly page: number;
  /** The text that is marked. */
  readonly passage: string;
  readonly label: string;
  readonly onProblem: (error: unknown) => void;
}

/** Sharp on most screens. */
const width = 1600;

export function PdfPageView({ path, page, passage, label, onProblem }: PdfPageViewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [lines, setLines] = useState<readonly PassageLine[] | undefined>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const show = async (): Promise<void> => {
      const bytes = await (await request(path, { signal })).arrayBuffer();
      const { picture, lines: found } = await drawPage({ bytes, page, width, passage }, signal);
      const { current } = canvas;
      if (current === null) return;
      current.width = picture.width;
      current.height = picture.height;
      current.getContext('bitmaprenderer')?.transferFromImageBitmap(picture);
      setLines(found);
    };
    show().catch((error: unknown) => {
      if (!signal.aborted) onProblem(error);
    });
    return () => controller.abort();
  }, [path, page, passage]);
  return (
    <div class="pdf-page" aria-busy={lines === undefined}>
      <canvas ref={canvas} role="img" aria-label={label} />
      {lines === undefined ? null : <PassageMarks lines={lines} />}
    </div>
  );
}

/** SVG, because the policy of the page allows no styles of single elements. */
function PassageMarks({ lines }: { readonly lines: readonly PassageLine[] }) {
  return (
    <svg
      ref={(element) => element?.querySelector('rect')?.scrollIntoView?.({ block: 'center' })}
      viewBox="0 0 1 1"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {lines.map(({ left, top, width: across, height }) => (
        <rect key={`${left} ${top}`} x={left} y={top} width={across} height={height} />
      ))}
    </svg>
  );
}
