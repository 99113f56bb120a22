// Models from packages of PyPI and npm, and from OCI artifacts of other tools.

import { packageEnvironment } from '../../base/config/child-environment.ts';
import { processEnvironment } from '../../base/config/environment.ts';
import { createPackageClient } from '../../models/package-client/package-client.ts';
import { toServerFeature } from '../../server/server-feature.ts';
import { createPullArtifact } from './artifacts/pull-artifact.ts';
import { createPullPackage } from './pull-package.ts';

export const packagesServer = toServerFeature({
  openSources({ store, registry, createModel, clock }) {
    const packages = createPackageClient({ environment: packageEnvironment(processEnvironment), clock });
    return {
      pullPackage: createPullPackage({ store, packages, createModel }),
      pullArtifact: createPullArtifact({ store, registry, createModel }),
      close: packages.close,
    };
  },
});
