// The script of /docs: finds operations, and sends requests from the page. The page itself is made by the server.

import './docs.css';
import { findOperation, type OpenApiPaths } from './operation.ts';
import { createTryForm } from './try-form.ts';

let openApi: Promise<OpenApiPaths> | undefined;

async function readDocument(): Promise<OpenApiPaths> {
  const response = await fetch('/openapi.json');
  return (await response.json()) as OpenApiPaths;
}

/** Adds the form when an operation is first opened. */
async function addForm(details: HTMLDetailsElement): Promise<void> {
  if (details.querySelector('form') !== null) return;
  openApi ??= readDocument();
  const operation = findOperation(await openApi, details.id);
  if (operation === undefined || details.querySelector('form') !== null) return;
  const form = createTryForm(operation);
  const example = details.querySelector('.example');
  // The form has the example in a field.
  example?.previousElementSibling?.remove();
  example?.remove();
  details.querySelector('summary ~ p')?.after(form);
}

/** Adds a field that hides the operations without its words. */
function addSearch(): void {
  const field = document.createElement('input');
  field.type = 'search';
  field.placeholder = 'Search operations';
  field.setAttribute('aria-label', field.placeholder);
  field.addEventListener('input', () => showMatching(field.value));
  document.querySelector('body > header')?.append(field);
}

function showMatching(query: string): void {
  const words = query.toLowerCase().split(/\s+/);
  for (const section of document.querySelectorAll('section')) {
    const operations = [...section.querySelectorAll('details')];
    for (const details of operations) {
      const text = details.querySelector('summary')?.textContent?.toLowerCase() ?? '';
      details.hidden = !words.every((word) => text.includes(word));
    }
    section.hidden = operations.every(({ hidden }) => hidden);
  }
}

for (const details of document.querySelectorAll('details'))
  details.addEventListener('toggle', () => {
    if (details.open) addForm(details).catch(() => {});
  });
addSearch();

const linked = document.getElementById(window.location.hash.slice(1));
if (linked instanceof HTMLDetailsElement) linked.open = true;
