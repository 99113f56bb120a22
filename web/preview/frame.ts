// The script of the frame with previews: the page sends code, and the frame inside this one shows it. What runs in there
// cannot pretend to be the page.

import { type PreviewContent, toDocument } from './to-document.ts';
import { ping, pong } from './watch-frame.ts';

addEventListener('message', ({ source, data }: MessageEvent<PreviewContent | typeof ping>) => {
  if (source !== window.parent) return;
  if (data === ping) {
    window.parent.postMessage(pong, '*');
    return;
  }
  const frame = document.createElement('iframe');
  frame.title = 'Preview';
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.srcdoc = toDocument(data);
  document.body.replaceChildren(frame);
});
