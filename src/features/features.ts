// All features, in the order of the help text.

import { backendsFeature } from './backends/feature.ts';
import { batchesFeature } from './batches/feature.ts';
import { catalogueFeature } from './catalogue/feature.ts';
import { certificatesFeature } from './certificates/feature.ts';
import { createDoctorFeature } from './doctor/feature.ts';
import { evalFeature } from './eval/feature.ts';
import type { Feature } from './feature.ts';
import { imatrixFeature } from './imatrix/feature.ts';
import { keysFeature } from './keys/feature.ts';
import { launchFeature } from './launch/feature.ts';
import { mcpFeature } from './mcp/feature.ts';
import { registryServerFeature } from './registry-server/feature.ts';
import { remotesFeature } from './remotes/feature.ts';
import { serviceFeature } from './service/feature.ts';
import { signInFeature } from './sign-in/feature.ts';
import { updateFeature } from './update/feature.ts';
import { usageFeature } from './usage/feature.ts';

const withoutDoctor: readonly Feature[] = [
  catalogueFeature,
  launchFeature,
  keysFeature,
  signInFeature,
  remotesFeature,
  usageFeature,
  registryServerFeature,
  certificatesFeature,
  backendsFeature,
  serviceFeature,
  updateFeature,
];

export const features: readonly Feature[] = [
  ...withoutDoctor,
  createDoctorFeature(withoutDoctor),
  evalFeature,
  imatrixFeature,
  batchesFeature,
  mcpFeature,
];
