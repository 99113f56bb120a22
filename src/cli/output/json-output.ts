// Answers of the API for scripts: as they came, readable, with a newline at the end.

export function toJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
