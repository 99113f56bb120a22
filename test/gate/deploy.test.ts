// The files in deploy/ agree with each other and with the server: settings, metrics, paths, ports and times.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createMetrics } from '../../src/base/metrics/create-metrics.ts';
import { healthRoutes } from '../../src/server/dialects/hearth/status/health-routes.ts';
import { loadSettings } from '../../src/settings/load-settings.ts';
import { environmentName, serverSettingKeys } from '../../src/settings/setting-table.ts';
import { repository } from '../support/repository.ts';

const folder = repository('deploy');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const seconds = (text: string): number => Number(/^(\d+)s$/.exec(text)?.[1]);

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly [string, string] } } };
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly terminationGracePeriodSeconds?: number;
    readonly containers: readonly [Container];
    readonly volumes: readonly {
      readonly name: string;
      readonly persistentVolumeClaim?: { readonly claimName: string };
    }[];
  };
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

interface DeploymentSpec {
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly template: PodTemplate;
}

// npm run test:chart compares this file with the chart.
const manifests = parseAllDocuments(read('kubernetes.yaml')).map((document) => {
  expect(document.errors).toEqual([]);
  return document.toJS() as Manifest;
});

function find(kind: string, name: string): Manifest {
  const manifest = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (manifest === undefined) throw new Error(`there is no ${kind} ${name}`);
  return manifest;
}

const deployment = (name: string): DeploymentSpec => find('Deployment', name).spec as unknown as DeploymentSpec;

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly stop_grace_period?: string;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
}

const compose = parse(read('compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};

const environments: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ...['hearth', 'hearth-manager'].map((name) => {
    const [container] = deployment(name).template.spec.containers;
    return [`kubernetes ${name}`, Object.fromEntries(container.env.map((one) => [one.name, one.value]))] as const;
  }),
  ...['hearth-1', 'hearth-2', 'manager'].map(
    (name) => [`compose ${name}`, compose.services[name]?.environment ?? {}] as const,
  ),
];

test('every template of the chart is rendered, and has the version of the package', () => {
  const templates = readdirSync(join(folder, 'helm/templates')).filter((name) => name.endsWith('.yaml'));
  const sources = read('kubernetes.yaml').matchAll(/^# Source: hearth\/templates\/(\S+)$/gm);
  expect(new Set(Array.from(sources, ([, name]) => name))).toEqual(new Set(templates));
  const { version } = JSON.parse(readFileSync(repository('package.json'), 'utf8')) as { version: string };
  const chart = parse(read('helm/Chart.yaml')) as { version: string; appVersion: string };
  expect([chart.version, chart.appVersion]).toEqual([version, version]);
});

test.each(environments)('the settings of %s exist and are valid', (_name, environment) => {
  expect(Object.keys(environment)).not.toEqual([]);
  const known = serverSettingKeys.map(environmentName);
  for (const name of Object.keys(environment)) expect(known).toContain(name);
  loadSettings({ environment, flags: {} });
});

test('probes ask for paths that are open, at a port that the server listens on', () => {
  const paths = healthRoutes.map(({ path }) => path);
  const exposed = Number(/^EXPOSE (\d+)$/m.exec(read('Containerfile'))?.[1]);
  for (const name of ['hearth', 'hearth-manager']) {
    const [container] = deployment(name).template.spec.containers;
    const { readinessProbe, livenessProbe, startupProbe = livenessProbe, ports } = container;
    expect(ports).toEqual([{ name: 'http', containerPort: exposed }]);
    expect(readinessProbe.httpGet.path).toBe('/readyz');
    for (const { httpGet } of [readinessProbe, livenessProbe, startupProbe]) {
      expect(paths).toContain(httpGet.path);
      expect(httpGet.port).toBe('http');
    }
  }
});

test('a pod is not killed before its answers had their time', () => {
  const { spec } = deployment('hearth').template;
  const [container] = spec.containers;
  const grace = container.env.find(({ name }) => name === 'HEARTH_SHUTDOWN_GRACE')?.value ?? '';
  const [, pause] = container.lifecycle?.preStop.exec.command ?? [];
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(seconds(grace) + Number(pause));
  for (const service of Object.values(compose.services).filter(({ environment }) => environment)) {
    const { environment = {}, stop_grace_period: limit = '' } = service;
    expect(seconds(limit)).toBeGreaterThan(seconds(environment['HEARTH_SHUTDOWN_GRACE'] ?? ''));
  }
});

test('names in manifests refer to what is there', () => {
  for (const name of ['hearth', 'hearth-manager']) {
    const { selector, template } = deployment(name);
    const volumes = template.spec.volumes.map((volume) => volume.name);
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    for (const mount of template.spec.containers[0].volumeMounts) expect(volumes).toContain(mount.name);
    for (const { persistentVolumeClaim: claim } of template.spec.volumes)
      if (claim) find('PersistentVolumeClaim', claim.claimName);
  }
  const { labels } = deployment('hearth').template.metadata;
  const service = find('Service', 'hearth').spec as { selector: object; ports: readonly { targetPort: string }[] };
  expect(labels).toMatchObject(service.selector);
  expect(service.ports[0]?.targetPort).toBe('http');
  const budget = find('PodDisruptionBudget', 'hearth').spec as { selector: { matchLabels: object } };
  expect(labels).toMatchObject(budget.selector.matchLabels);
  const autoscaler = find('HorizontalPodAutoscaler', 'hearth').spec as {
    scaleTargetRef: { kind: string; name: string };
  };
  find(autoscaler.scaleTargetRef.kind, autoscaler.scaleTargetRef.name);
});

test('only the manager can write the store', () => {
  const mountOf = (name: string) =>
    deployment(name).template.spec.containers[0].volumeMounts.find(({ mountPath }) => mountPath === '/models');
  expect(mountOf('hearth')?.readOnly).toBe(true);
  expect(mountOf('hearth-manager')?.readOnly).toBeUndefined();
  for (const name of ['hearth-1', 'hearth-2'])
    for (const volume of compose.services[name]?.volumes ?? []) expect(volume).toMatch(/:ro$/);
});

test('the autoscaler and the adapter use metrics that the server has', async () => {
  const metrics = createMetrics(() => ({ models: [], queues: [], prefixFiles: { files: 0, bytes: 0 } }));
  const exported = [...(await metrics.read()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  const autoscaler = find('HorizontalPodAutoscaler', 'hearth').spec as {
    metrics: readonly { pods: { metric: { name: string } } }[];
  };
  const adapter = parse(read('monitoring/adapter-values.yaml')) as {
    rules: { custom: readonly { seriesQuery: string; name: { as: string }; metricsQuery: string }[] };
  };
  const offered = adapter.rules.custom.map(({ name }) => name.as);
  for (const { pods } of autoscaler.metrics) expect(offered).toContain(pods.metric.name);
  const queries = adapter.rules.custom.map(({ seriesQuery, metricsQuery }) => `${seriesQuery} ${metricsQuery}`);
  const used = queries.join(' ').match(/hearth_\w+/g) ?? [];
  expect(used).not.toEqual([]);
  for (const name of used) expect(exported).toContain(name);
  const [job] = parse(read('monitoring/scrape-config.yaml')) as readonly [{ job_name: string }];
  expect(job.job_name).toBe('hearth');
});

test('the load balancer knows every replica of the compose file, and no other', () => {
  const servers = [...read('nginx.conf').matchAll(/^\s+server (\S+):11434/gm)].map(([, name]) => name);
  expect(servers).toEqual(Object.keys(compose.services).filter((name) => name.startsWith('hearth-')));
  expect(Object.keys(compose.services['balancer']?.depends_on ?? {})).toEqual(servers);
});
