// The document that shows code of a model. It runs in a frame whose policy (server/page) forbids every request, but no policy
// of a browser forbids WebRTC, which can reach other machines. Frames inside the document would have a new one, too. So
// only scripts that begin with the removal of WebRTC may run, here and in frames inside: the policy has their hashes.

import type { PreviewKind } from './preview-kind.ts';
import { sha256 } from './sha256.ts';

/** `this` is the global object, whatever names the code behind declares. */
const guard = '(function(){delete this.RTCPeerConnection;delete this.webkitRTCPeerConnection})();';

const drawingStyle =
  '<style>body{display:grid;place-items:center;min-height:100vh;margin:0}svg{max-width:100%;max-height:100vh}</style>';

export interface PreviewContent {
  readonly kind: PreviewKind;
  readonly code: string;
  /** The text of Mermaid; empty if the code needs none. */
  readonly library: string;
  readonly isDark: boolean;
}

export function toDocument({ kind, code, library, isDark }: PreviewContent): string {
  if (kind !== 'mermaid') return toGuardedDocument(kind === 'svg' ? drawingStyle + code : code);
  // The diagram has no scripts that could read it.
  const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join('');
  return toMermaidDocument(code, { library, isDark, nonce });
}

/** HTML and SVG. Scripts of other files, and handlers that scripts write into the document, do not run. */
function toGuardedDocument(code: string): string {
  const parsed = new DOMParser().parseFromString(code, 'text/html');
  // They load nothing here, but a browser may look up the names of their servers.
  for (const element of parsed.querySelectorAll('link, base, meta[http-equiv], script[src]')) element.remove();
  const allowed = new Set<string>();
  const allow = (text: string): string => {
    allowed.add(`'sha256-${sha256(guard + text)}'`);
    return guard + text;
  };
  for (const script of parsed.querySelectorAll('script')) {
    if (!isScript(script.getAttribute('type') ?? '')) continue;
    // Names of a module could hide the global ones.
    script.removeAttribute('type');
    script.textContent = allow(script.textContent ?? '');
  }
  for (const element of parsed.querySelectorAll('*'))
    for (const { name, value } of [...element.attributes])
      if (name.startsWith('on')) element.setAttribute(name, allow(value));
  return withPolicy(`'unsafe-hashes' ${[...allowed].join(' ')}`, parsed.documentElement.outerHTML);
}

function isScript(type: string): boolean {
  return ['', 'module'].includes(type) || /^(text|application)\/(java|ecma)script$/.test(type.trim().toLowerCase());
}

interface MermaidOptions extends Pick<PreviewContent, 'library' | 'isDark'> {
  readonly nonce: string;
}

export function toMermaidDocument(source: string, { library, isDark, nonce }: MermaidOptions): string {
  const config = {
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: isDark ? 'dark' : 'default',
  };
  const draw = `mermaid.initialize(${toScript(config)});
    mermaid.render('diagram', ${toScript(source)}).then(
      ({ svg }) => { document.body.innerHTML = svg; },
      ({ message }) => { document.body.innerText = 'This diagram cannot be drawn.\\n\\n' + message; },
    );`;
  const colors = isDark ? 'color:#ebe8e4;background:#232120' : 'color:#22201d;background:#fff';
  return withPolicy(
    `'nonce-${nonce}'`,
    `${drawingStyle}<style>body{padding:8px;box-sizing:border-box;font-family:sans-serif;${colors}}</style><body>
    <script nonce="${nonce}">${escapeLibrary(library)}</script><script nonce="${nonce}">${draw}</script>`,
  );
}

function withPolicy(scripts: string, content: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="script-src ${scripts}">${content}`;
}

/** A value as a part of a script in HTML. */
export function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** In strings and patterns of a script, the backslash changes nothing. */
export function escapeLibrary(text: string): string {
  return text.replaceAll('<!--', '<\\!--').replaceAll(/<\/(?=script)/gi, '<\\/');
}
