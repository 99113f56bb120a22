// Draws a page of a PDF in a worker of its own, which ends with it.

import { t } from '../../language/language.ts';
import type { DrawnPage, PageToDraw } from './pdf-page.ts';

const maxMs = 10_000;
/** Written by scripts/bundle-page.mjs. */
const script = '/page/pdf-worker.js';

type Picture = Extract<DrawnPage, { readonly picture: ImageBitmap }>;

/** Rejects if the file is not valid, or takes too long. */
export async function drawPage(page: PageToDraw, signal: AbortSignal): Promise<Picture> {
  const worker = new Worker(script, { type: 'module' });
  let timer = 0;
  try {
    const drawn = await new Promise<DrawnPage>((resolve, reject) => {
      const fail = (): void => reject(new Error(t('The page cannot be shown.')));
      timer = window.setTimeout(fail, maxMs);
      signal.addEventListener('abort', fail);
      worker.addEventListener('error', fail);
      worker.addEventListener('message', ({ data }: MessageEvent<DrawnPage>) => resolve(data));
      worker.postMessage(page, [page.bytes]);
    });
    if ('problem' in drawn) throw new Error(t('The page cannot be shown.'));
    return drawn;
  } finally {
    window.clearTimeout(timer);
    worker.terminate();
  }
}
