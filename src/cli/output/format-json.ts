// Answers of the API for scripts: as they came, readable, with a newline at the end.

export function formatJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
