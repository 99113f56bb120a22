// POST /api/verify on the wire: a stream of what was found, and a sum.

import { type Static, Type } from 'typebox';

export const VerifyRequest = Type.Object({
  repair: Type.Optional(Type.Boolean()),
  stream: Type.Optional(Type.Boolean({ description: 'False: one object instead of a stream.' })),
});
export type VerifyRequest = Static<typeof VerifyRequest>;

export type VerifyResponse =
  | {
      readonly status: 'ok' | 'damaged' | 'orphaned' | 'missing';
      readonly digest: string;
      readonly size: number;
      readonly models: readonly string[];
      readonly removed: boolean;
    }
  | { readonly status: 'unreadable'; readonly path: string; readonly reason: string }
  | { readonly status: 'leftover'; readonly path: string; readonly size: number; readonly removed: boolean }
  | { readonly status: 'success'; readonly counts: Readonly<Record<string, number>> };

/** The same as the store has it. */
export type VerifyFinding =
  | {
      readonly kind: 'ok' | 'damaged' | 'orphaned' | 'missing';
      readonly digest: string;
      readonly bytes: number;
      readonly models: readonly string[];
      readonly removed: boolean;
    }
  | { readonly kind: 'unreadable'; readonly path: string; readonly reason: string }
  | { readonly kind: 'leftover'; readonly path: string; readonly bytes: number; readonly removed: boolean };

export async function* toVerifyResponses(findings: AsyncIterable<VerifyFinding>): AsyncGenerator<VerifyResponse> {
  const counts: Record<string, number> = {};
  for await (const finding of findings) {
    counts[finding.kind] = (counts[finding.kind] ?? 0) + 1;
    yield toVerifyResponse(finding);
  }
  yield { status: 'success', counts };
}

function toVerifyResponse(finding: VerifyFinding): VerifyResponse {
  if (finding.kind === 'unreadable') return { status: finding.kind, path: finding.path, reason: finding.reason };
  if (finding.kind === 'leftover') {
    const { kind, path, bytes, removed } = finding;
    return { status: kind, path, size: bytes, removed };
  }
  const { kind, digest, bytes, models, removed } = finding;
  return { status: kind, digest, size: bytes, models, removed };
}
