// API responses for scripts: indented JSON with a final newline.

export function formatJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
