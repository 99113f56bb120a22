// Ids of conversations and messages. `crypto.randomUUID` exists only on pages with TLS or of the same machine.

const bytes = 12;

export function newId(): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
