// GET /api/ps and GET /api/queue on the wire.

import type { ModelDetailsBody } from '../models/details-schema.ts';

export interface PsResponse {
  readonly models: readonly {
    readonly name: string;
    readonly model: string;
    readonly size: number;
    readonly digest: string;
    readonly details: ModelDetailsBody;
    readonly expires_at: string;
    readonly size_vram: number;
    /** Absent while it loads. */
    readonly context_length?: number;
    readonly state: 'loading' | 'idle' | 'busy' | 'draining';
    /** Why it computes without the GPU that is there. */
    readonly fallback?: string;
  }[];
}

export interface QueueResponse {
  readonly queues: readonly {
    readonly model: string;
    readonly waiting: readonly { readonly id: string; readonly since: string; readonly for: 'model' | 'runner' }[];
  }[];
}
