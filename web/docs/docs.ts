// The script of /docs: finds operations, and sends requests from the page. The page itself is made by the server.

import './docs.css';
import { addSearch } from './add-search.ts';
import { findOperation, type OpenApiDocument } from './operation.ts';
import { createTryForm } from './try-form.ts';

let openApi: Promise<OpenApiDocument> | undefined;

async function readDocument(): Promise<OpenApiDocument> {
  const response = await fetch('/openapi.json');
  return (await response.json()) as OpenApiDocument;
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

for (const details of document.querySelectorAll('details'))
  details.addEventListener('toggle', () => {
    if (details.open) addForm(details).catch(() => {});
  });
addSearch();

const linked = document.getElementById(window.location.hash.slice(1));
if (linked instanceof HTMLDetailsElement) linked.open = true;
