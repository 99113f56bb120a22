// The table of models, for `hearth list` and /list.

import { parseTimestamp } from '../../base/time/timestamp.ts';
import type { CachesResponseBody } from '../../features/caches/caches-schema.ts';
import type { TagsResponseBody } from '../../server/dialects/ollama/models/tags-schema.ts';
import { formatByteSize, formatMoment, safeLine } from './format.ts';
import { formatTable } from './table.ts';

const programNames = { huggingface: 'Hugging Face', lmstudio: 'LM Studio' } as const;

/** Files in the folders of other programs; empty without any. */
export function formatCached(models: CachesResponseBody['models'], now: number, width?: number): string {
  if (models.length === 0) return '';
  const table = formatTable(
    ['NAME', 'SIZE', 'MODIFIED', 'IN', 'NOTE'],
    models.map(({ name, size, modified_at, program, files, projector }) => [
      safeLine(name),
      formatByteSize(size),
      formatMoment(parseTimestamp(modified_at), now),
      programNames[program],
      [...(files.length > 1 ? [`${files.length} files`] : []), ...(projector ? ['with mmproj'] : [])].join(', '),
    ]),
    { optional: ['NOTE', 'MODIFIED'], width },
  );
  return `\nFiles of other programs, which \`hearth run NAME\` uses without a download:\n${table}`;
}

export function formatModels(models: TagsResponseBody['models'], now: number, width?: number): string {
  return formatTable(
    ['NAME', 'ID', 'SIZE', 'MODIFIED'],
    models.map(({ name, digest, size, modified_at }) => [
      safeLine(name),
      safeLine(digest).slice(0, 12),
      formatByteSize(size),
      formatMoment(parseTimestamp(modified_at), now),
    ]),
    { optional: ['ID', 'MODIFIED'], width },
  );
}
