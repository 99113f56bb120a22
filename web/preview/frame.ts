// The script of the frame with previews: the page sends code, and the frame inside this one shows it. What runs in there
// cannot pretend to be the page.

import { type PreviewContent, toDocument } from './to-document.ts';

addEventListener('message', ({ source, data }: MessageEvent<PreviewContent>) => {
  if (source !== window.parent) return;
  const frame = document.createElement('iframe');
  frame.title = 'Preview';
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.srcdoc = toDocument(data);
  document.body.replaceChildren(frame);
});
