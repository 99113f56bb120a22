// The table of models, for `hearth list` and /list.

import { parseTimestamp } from '../../base/time/timestamp.ts';
import type { TagsResponseBody } from '../../server/dialects/ollama/models/tags-schema.ts';
import { formatByteSize, formatMoment, safeLine } from './format.ts';
import { formatTable } from './table.ts';

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
