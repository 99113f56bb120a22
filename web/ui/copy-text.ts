// Copies a text. Browsers have the clipboard only for pages with TLS or on the same machine.

export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  // Deprecated, and the only way without TLS.
  document.execCommand('copy');
  area.remove();
}
