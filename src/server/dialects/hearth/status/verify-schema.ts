// POST /api/verify on the wire: an object for each finding, then a summary.

import { Type } from 'typebox';
import { streamField } from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

export const VerifyRequestBody = Type.Object({
  repair: Type.Optional(Type.Boolean({ description: 'Remove damaged, orphaned and leftover files.' })),
  stream: streamField,
});
export type VerifyRequestBody = Wire<typeof VerifyRequestBody>;

const bytes = Type.Integer({ description: 'Bytes.' });

export const VerifyResponseBody = Type.Union([
  Type.Object({
    status: Type.Enum(['ok', 'damaged', 'orphaned', 'missing']),
    digest: Type.String(),
    size: bytes,
    models: Type.Array(Type.String(), { description: 'Names of the models that use the blob.' }),
    removed: Type.Boolean(),
  }),
  Type.Object({ status: Type.Literal('unreadable'), path: Type.String(), reason: Type.String() }),
  Type.Object({ status: Type.Literal('leftover'), path: Type.String(), size: bytes, removed: Type.Boolean() }),
  Type.Object({
    status: Type.Literal('success'),
    counts: Type.Record(Type.String(), Type.Integer(), { description: 'Number of findings by status.' }),
  }),
]);
export type VerifyResponseBody = Wire<typeof VerifyResponseBody>;

/** A finding as the store reports it. */
type VerifyFinding =
  | {
      readonly kind: 'ok' | 'damaged' | 'orphaned' | 'missing';
      readonly digest: string;
      readonly bytes: number;
      readonly models: readonly string[];
      readonly removed: boolean;
    }
  | { readonly kind: 'unreadable'; readonly path: string; readonly reason: string }
  | { readonly kind: 'leftover'; readonly path: string; readonly bytes: number; readonly removed: boolean };

export async function* toVerifyResponses(findings: AsyncIterable<VerifyFinding>): AsyncGenerator<VerifyResponseBody> {
  const counts: Record<string, number> = {};
  for await (const finding of findings) {
    counts[finding.kind] = (counts[finding.kind] ?? 0) + 1;
    yield toVerifyResponse(finding);
  }
  yield { status: 'success', counts };
}

function toVerifyResponse(finding: VerifyFinding): VerifyResponseBody {
  if (finding.kind === 'unreadable') return { status: finding.kind, path: finding.path, reason: finding.reason };
  if (finding.kind === 'leftover') {
    const { kind, path, bytes: size, removed } = finding;
    return { status: kind, path, size, removed };
  }
  const { kind, digest, bytes: size, models, removed } = finding;
  return { status: kind, digest, size, models, removed };
}
