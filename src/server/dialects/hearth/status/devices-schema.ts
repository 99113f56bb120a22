// GET /api/devices on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../shared/wire-schema.ts';

export const DevicesResponseBody = Type.Object({
  engine: Type.String({ description: 'The package of llama.cpp and its version.' }),
  devices: Type.Array(
    Type.Object({
      kind: Type.Enum(['cpu', 'gpu']),
      name: Type.String(),
      total: Type.Integer({ description: 'Bytes of memory; 0 if unknown.' }),
      free: Type.Integer({ description: 'Bytes of free memory; 0 if unknown.' }),
      cores: Type.Optional(Type.Integer()),
      driver: Type.Optional(Type.String({ description: 'The version of the NVIDIA driver.' })),
      compute_capability: Type.Optional(Type.String({ description: 'Of an NVIDIA GPU, such as 8.9.' })),
      backend: Type.Optional(Type.String({ description: 'The backend that serves it. Absent: none does.' })),
      faster: Type.Optional(Type.String({ description: 'What would make it faster. Absent: nothing that is known.' })),
      next_step: Type.Optional(Type.String({ description: 'What to do so that a backend serves it.' })),
    }),
  ),
  backends: Type.Array(
    Type.Object({
      name: Type.String(),
      failure: Type.Optional(Type.String({ description: 'Why it does not work. Absent: it works.' })),
    }),
    {
      description:
        'In the order in which a load tries them. Those of vision models are named vision-cuda and vision-vulkan.',
    },
  ),
});
export type DevicesResponseBody = Wire<typeof DevicesResponseBody>;
