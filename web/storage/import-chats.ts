// POST /api/chats/import

import { requestJson } from '../api/request.ts';

interface ImportResult {
  readonly imported: number;
  readonly existing: number;
  readonly failed: number;
}

/** Returns a sentence about the result. */
export async function importChats(file: Blob): Promise<string> {
  return describeImport(await requestJson<ImportResult>('/api/chats/import', { method: 'POST', body: file }));
}

export function describeImport({ imported, existing, failed }: ImportResult): string {
  const parts = [
    `${imported} imported`,
    ...(existing === 0 ? [] : [`${existing} existed already`]),
    ...(failed === 0 ? [] : [`${failed} could not be read`]),
  ];
  return `${parts.join(', ')}.`;
}
