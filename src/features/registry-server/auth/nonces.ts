// Nonces that have been used, kept for as long as a request with one of them would be accepted.

import type { Clock } from '../../../base/time/clock.ts';

export function createNonces({ clock, keepMs, max }: { clock: Clock; keepMs: number; max: number }) {
  // In insertion order, which is also the order of expiry.
  const used = new Map<string, number>();
  return {
    use(nonce: string): 'fresh' | 'used' | 'too many' {
      const now = clock.now();
      for (const [old, until] of used) {
        if (until > now) break;
        used.delete(old);
      }
      if (used.has(nonce)) return 'used';
      if (used.size >= max) return 'too many';
      used.set(nonce, now + keepMs);
      return 'fresh';
    },
  };
}
