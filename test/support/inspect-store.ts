// Looks a store through by hand, and not by means of what is tested.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ManifestLayer } from '../../src/models/store/manifests/manifest.ts';

const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Every blob has the content that its name says, every manifest finds its blobs. Returns the names of the models. */
export function inspectStore(root: string): string[] {
  if (!existsSync(join(root, 'blobs'))) return [];
  for (const name of readdirSync(join(root, 'blobs')).filter((entry) => !entry.startsWith('.')))
    expect(name).toBe(`sha256-${sha256(join(root, 'blobs', name))}`);
  const registry = join(root, 'manifests/registry.ollama.ai/library');
  const models = existsSync(registry) ? readdirSync(registry) : [];
  return models.filter((model) => {
    const path = join(registry, model, 'latest');
    if (!existsSync(path)) return false;
    const { config, layers } = JSON.parse(readFileSync(path, 'utf8')) as {
      config: ManifestLayer;
      layers: ManifestLayer[];
    };
    for (const { digest, size } of [config, ...layers])
      expect(statSync(join(root, 'blobs', digest.replace(':', '-'))).size).toBe(size);
    return true;
  });
}
