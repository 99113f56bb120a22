// GET and POST /api/pulls, POST /api/pulls/:id/pause and DELETE /api/pulls/:id on the wire.

import { Type } from 'typebox';
import { PullRequestBody } from '../../ollama/transfer/transfer-schema.ts';
import { requiresModel } from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

const { model, name, insecure, as } = PullRequestBody.properties;

export const StartPullRequestBody = Type.Object({ model, name, insecure, as }, requiresModel);
export type StartPullRequestBody = Wire<typeof StartPullRequestBody>;

export const PullBody = Type.Object({
  id: Type.String(),
  model: Type.String({ description: 'The name in the request.' }),
  as: Type.Optional(Type.String()),
  insecure: Type.Optional(Type.Boolean()),
  state: Type.Enum(['running', 'paused', 'failed', 'done']),
  status: Type.String({ description: 'What the pull does, as in the stream of `/api/pull`.' }),
  total: Type.Optional(Type.Integer({ description: 'Bytes of the files that are known so far.' })),
  completed: Type.Optional(Type.Integer({ description: 'Bytes.' })),
  error: Type.Optional(Type.String({ description: 'Why the pull failed.' })),
  started_at: Type.String(),
});
export type PullBody = Wire<typeof PullBody>;

export const PullsResponseBody = Type.Object({ pulls: Type.Array(PullBody) });
export type PullsResponseBody = Wire<typeof PullsResponseBody>;

export const RemovePullResponseBody = Type.Object({ status: Type.Literal('success') });
export type RemovePullResponseBody = Wire<typeof RemovePullResponseBody>;
