// GET /api/tags on the wire.

import type { ModelDetailsBody } from './details-schema.ts';

export interface TagsResponse {
  readonly models: readonly {
    readonly name: string;
    readonly model: string;
    readonly modified_at: string;
    readonly size: number;
    readonly digest: string;
    readonly details: ModelDetailsBody;
  }[];
}
