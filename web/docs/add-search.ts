// A field that hides the operations without its words.

export function addSearch(): void {
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
