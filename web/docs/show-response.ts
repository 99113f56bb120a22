// Sends a request and shows the response as it arrives.

import type { CurlRequest } from './operation.ts';

/** More characters make the page slow. */
const maxShownCharacters = 100_000;

/** Replaces the content of `output`. */
export async function showResponse(
  { method, url, body }: CurlRequest,
  output: HTMLElement,
  signal: AbortSignal,
): Promise<void> {
  const status = document.createElement('output');
  const text = document.createElement('pre');
  text.tabIndex = 0;
  output.replaceChildren(status, text);
  const started = performance.now();
  const elapsed = (): string => `${Math.round(performance.now() - started)} ms`;
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method, headers, signal, body });
    const outcome = `${response.status} ${response.statusText}`.trim();
    status.textContent = `${outcome}, ${elapsed()}`;
    status.className = response.ok ? 'good' : 'problem';
    text.textContent = await readShown(response, (shown) => {
      text.textContent = shown;
    });
    status.textContent = `${outcome}, ${elapsed()}${response.status === 401 ? '. Enter a key on the start page.' : ''}`;
  } catch {
    status.className = 'problem';
    status.textContent = signal.aborted ? `Stopped after ${elapsed()}` : 'The server does not answer.';
  }
  if (text.textContent === '') text.remove();
}

async function readShown(response: Response, onText: (text: string) => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    text += decoder.decode(part.value, { stream: true });
    if (text.length > maxShownCharacters) {
      await reader?.cancel();
      return `${text.slice(0, maxShownCharacters)}…`;
    }
    onText(text);
  }
  return isJson(response) ? indent(text) : text;
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') ?? false;
}

function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
