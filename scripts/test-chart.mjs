// npm run test:chart: the Helm chart with `helm lint`, `helm template` and kubeconform, both built from Go modules, and the
// schemas of Kubernetes. Without Go it says so. The first run builds for several minutes. `--write` renders
// deploy/kubernetes.yaml again.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const versions = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
  kubernetes: 'k8s.io/kubernetes@v1.36.3',
};
const chart = 'deploy/helm';
const rendered = 'deploy/kubernetes.yaml';
const header = `# Written by npm run test:chart -- --write from ${chart}, with its default values. Do not edit.\n`;

/** Sets of values that together reach every branch of the templates. */
const variants = [
  [],
  ['gpu.count=2', 'gpu.runtimeClass=nvidia', 'gpu.nodeSelector.gpu=h200', 'gpu.tolerations[0].key=gpu'],
  ['autoscaling.cacheUsage=800m', 'storage.class=nfs', 'engine.remotesSecret=hearth-remotes', 'hosts[0]=llm.example'],
  ['autoscaling.enabled=false', 'manager.enabled=false', 'storage.existingClaim=models', 'image.tag=0.3.1'],
];

const { error } = spawnSync('go', ['version']);
if (error === undefined) check();
else {
  console.error(`The tests of the Helm chart are skipped: go does not run (${error.message}).`);
  if (process.env.CI === 'true') {
    console.error('In CI, skipped tests are failures.');
    process.exit(1);
  }
}

function check() {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hearth-chart');
  const bin = join(folder, 'bin');
  const environment = { ...process.env, GOBIN: bin };
  mkdirSync(bin, { recursive: true });
  for (const name of ['helm', 'kubeconform']) outputOf('go', ['install', versions[name]], { env: environment });
  const helm = (...words) => outputOf(join(bin, 'helm'), words);
  const schemas = writeSchemas(folder);
  helm('lint', '--strict', chart);
  for (const values of variants) {
    const sets = values.flatMap((value) => ['--set', value]);
    const manifests = helm('template', 'hearth', chart, '--namespace', 'hearth', ...sets);
    const words = ['-strict', '-summary', '-schema-location', join(schemas, '{{ .ResourceKind }}.json'), '-'];
    console.log(values.join(' ') || 'default values');
    process.stdout.write(outputOf(join(bin, 'kubeconform'), words, { input: manifests }));
    if (values.length === 0) compare(header + manifests);
  }
}

function compare(text) {
  if (process.argv.includes('--write')) writeFileSync(rendered, text);
  else if (readFileSync(rendered, 'utf8') !== text)
    throw new Error(`${rendered} is old: npm run test:chart -- --write`);
}

/** A schema for each kind from the OpenAPI document of Kubernetes, in which no object has other fields than its own. */
function writeSchemas(folder) {
  const { Dir } = JSON.parse(outputOf('go', ['mod', 'download', '-json', versions.kubernetes]));
  const { definitions } = JSON.parse(readFileSync(join(Dir, 'api/openapi-spec/swagger.json'), 'utf8'));
  definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString'] = { type: ['string', 'integer'] };
  for (const definition of Object.values(definitions))
    if (definition.properties) definition.additionalProperties = false;
  const schemas = join(folder, 'schemas');
  mkdirSync(schemas, { recursive: true });
  const kinds = ['apps.v1.Deployment', 'core.v1.Service', 'core.v1.PersistentVolumeClaim'];
  for (const kind of [...kinds, 'policy.v1.PodDisruptionBudget', 'autoscaling.v2.HorizontalPodAutoscaler']) {
    const name = kind.split('.').at(-1).toLowerCase();
    const schema = { $ref: `#/definitions/io.k8s.api.${kind}`, definitions };
    writeFileSync(join(schemas, `${name}.json`), JSON.stringify(schema));
  }
  return schemas;
}

function outputOf(program, words, options = {}) {
  const {
    status,
    stdout,
    stderr,
    error: failure,
  } = spawnSync(program, words, { encoding: 'utf8', maxBuffer: 2 ** 26, ...options });
  if (status === 0) return stdout;
  console.error(`${program} ${words.join(' ')}\n${stdout}${stderr}${failure ?? ''}`);
  process.exit(1);
}
