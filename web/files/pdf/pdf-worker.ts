// The worker that draws a page of a PDF. Files may come from anywhere, so that they are read where nothing of the page is
// in reach: the worker has no document, runs no script of the file, and is ended when it takes too long.

import './before-pdfjs.ts';
import { getDocument, VerbosityLevel } from 'unpdf/pdfjs';
import { findPieces } from './find-pieces.ts';
import type { DrawnPage, PageToDraw, PassageLine } from './pdf-page.ts';

const maxPixels = 8 * 2 ** 20;
const maxImagePixels = 32 * 2 ** 20;

interface Viewport {
  readonly width: number;
  readonly height: number;
  convertToViewportRectangle(rectangle: readonly number[]): number[];
}

interface PagePiece {
  readonly str: string;
  readonly width: number;
  readonly height: number;
  /** The last two values are the distances from the left and the bottom of the page. */
  readonly transform: readonly number[];
}

/** pdf.js creates elements of the document otherwise. */
class WorkerCanvases {
  create(width: number, height: number) {
    const canvas = new OffscreenCanvas(Math.max(1, width), Math.max(1, height));
    return { canvas, context: canvas.getContext('2d') };
  }

  reset({ canvas }: { readonly canvas: OffscreenCanvas }, width: number, height: number): void {
    canvas.width = width;
    canvas.height = height;
  }

  destroy({ canvas }: { readonly canvas: OffscreenCanvas }): void {
    canvas.width = 0;
    canvas.height = 0;
  }
}

/** Filters are elements of the document, too. Pictures that need one are drawn without it. */
class NoFilters {
  addFilter = (): string => 'none';
  addHCMFilter = (): string => 'none';
  addAlphaFilter = (): string => 'none';
  addLuminosityFilter = (): string => 'none';
  addHighlightHCMFilter = (): string => 'none';
  destroy(): void {}
}

async function draw({ bytes, page: number, width, passage }: PageToDraw): Promise<DrawnPage> {
  const document = await getDocument({
    data: new Uint8Array(bytes),
    CanvasFactory: WorkerCanvases,
    FilterFactory: NoFilters,
    isEvalSupported: false,
    enableXfa: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    maxImageSize: maxImagePixels,
    canvasMaxAreaInBytes: 4 * maxPixels,
    verbosity: VerbosityLevel.ERRORS,
  }).promise;
  const page = await document.getPage(number);
  const unscaled = page.getViewport({ scale: 1 });
  const fitting = Math.sqrt(maxPixels / (unscaled.width * unscaled.height));
  const viewport = page.getViewport({ scale: Math.min(width / unscaled.width, fitting) });
  const canvas = new OffscreenCanvas(Math.ceil(viewport.width), Math.ceil(viewport.height));
  // The types know only the canvas of a document.
  await page.render({ canvas: canvas as unknown as HTMLCanvasElement, viewport, annotationMode: 0 }).promise;
  const { items } = await page.getTextContent();
  const pieces = findPieces(
    items.filter((item): item is PagePiece & typeof item => 'str' in item),
    passage,
  );
  return { picture: canvas.transferToImageBitmap(), lines: pieces.flatMap((piece) => toLine(piece, viewport)) };
}

/** Letters reach a little below their line. Text that is rotated is not marked. */
const below = 0.25;

function toLine({ str, width, height, transform }: PagePiece, viewport: Viewport): PassageLine[] {
  const [, b = 0, c = 0, , x = 0, y = 0] = transform;
  if (b !== 0 || c !== 0 || str.trim() === '') return [];
  const corners = viewport.convertToViewportRectangle([x, y - below * height, x + width, y + height]);
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = corners;
  return [
    {
      left: Math.min(x1, x2) / viewport.width,
      top: Math.min(y1, y2) / viewport.height,
      width: Math.abs(x2 - x1) / viewport.width,
      height: Math.abs(y2 - y1) / viewport.height,
    },
  ];
}

addEventListener('message', ({ data }: MessageEvent<PageToDraw>) => {
  const scope = globalThis as unknown as { postMessage(drawn: DrawnPage, moved: readonly Transferable[]): void };
  draw(data).then(
    (drawn) => scope.postMessage(drawn, 'picture' in drawn ? [drawn.picture] : []),
    (error: unknown) => scope.postMessage({ problem: error instanceof Error ? error.message : String(error) }, []),
  );
});
