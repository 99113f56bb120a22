// The circuit breaker of an endpoint, as functions of plain data.
//
//   closed ──failures──► open ──pause is over──► probing ──it answers──► closed
//                          ▲                        │
//                          └───────it fails─────────┘
//
// Pauses grow while an endpoint keeps failing, and also if it fails soon after it has recovered. They have jitter, so
// that several servers do not try a recovering endpoint at the same moment.

import { calmTime, firstPause, maxFailures, maxPause } from './limits.ts';

export type Circuit =
  | {
      readonly state: 'closed';
      /** Consecutive ones. */
      readonly failures: number;
      readonly since: number;
      /** Pauses so far. */
      readonly pauses: number;
    }
  | { readonly state: 'open'; readonly until: number; readonly pauses: number }
  /** One request is trying the endpoint. */
  | { readonly state: 'probing'; readonly pauses: number };

/** Jitter needs a number from 0 to 1. */
export interface Moment {
  /** Milliseconds since an arbitrary point. */
  readonly now: number;
  readonly random: number;
}

export const newCircuit: Circuit = { state: 'closed', failures: 0, since: 0, pauses: 0 };

export function isPauseOver(circuit: Circuit, now: number): boolean {
  return circuit.state === 'open' && now >= circuit.until;
}

export function startProbe({ pauses }: Circuit): Circuit {
  return { state: 'probing', pauses };
}

/** The probe ended and showed nothing. The next request is a probe. */
export function endProbe({ pauses }: Circuit, now: number): Circuit {
  return { state: 'open', until: now, pauses };
}

/** The probe was answered. */
export function close({ pauses }: Circuit, now: number): Circuit {
  return { state: 'closed', failures: 0, since: now, pauses };
}

export function afterSuccess(circuit: Circuit): Circuit {
  return circuit.state === 'closed' && circuit.failures > 0 ? { ...circuit, failures: 0 } : circuit;
}

export function afterFailure(circuit: Circuit, moment: Moment): Circuit {
  if (circuit.state === 'open') return circuit;
  if (circuit.state === 'probing') return open(circuit.pauses, moment);
  const failures = circuit.failures + 1;
  if (failures < maxFailures) return { ...circuit, failures };
  return open(moment.now - circuit.since > calmTime ? 0 : circuit.pauses, moment);
}

function open(pauses: number, { now, random }: Moment): Circuit {
  const pause = Math.min(firstPause * 2 ** pauses, maxPause);
  return { state: 'open', until: now + pause * (0.75 + random / 2), pauses: pauses + 1 };
}
