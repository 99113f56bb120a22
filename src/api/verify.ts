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
