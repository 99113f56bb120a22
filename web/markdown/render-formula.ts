// Temml with limits: a formula comes from a model.

import temml from 'temml';

/** Replaces the content of an element. A formula with an error stays as its source. */
export function renderFormula(source: string, element: HTMLElement, display: boolean): void {
  const result = document.createElement('span');
  try {
    temml.render(source, result, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      maxExpand: 1000,
      maxSize: [50, 50],
    });
  } catch {
    return;
  }
  element.replaceChildren(...result.childNodes);
}
