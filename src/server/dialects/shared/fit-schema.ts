// Whether a model fits this machine, on the wire.

import { Type } from 'typebox';

export const FitBody = Type.Object({
  verdict: Type.Enum(['gpu', 'layers', 'memory', 'slow', 'no'], {
    description:
      'By the estimate that a load uses. "gpu": entirely on GPUs. "layers": most layers are on GPUs, or all of them without their experts. "memory": in main memory. "slow": in main memory, and large. "no": too large.',
  }),
  text: Type.String({ description: 'The same in words.' }),
});
