// What computes the models that are loaded from now on, in one sentence.

interface UsedDevice {
  readonly kind: 'cpu' | 'gpu';
  readonly name: string;
  readonly backend?: string;
}

interface KnownBackend {
  readonly name: string;
  readonly failure?: string;
}

export function describeUse(devices: readonly UsedDevice[], backends: readonly KnownBackend[]): string {
  const gpus = devices.filter(({ kind, backend }) => kind === 'gpu' && backend !== undefined);
  const [first] = gpus;
  if (first?.backend === undefined) return 'Models are computed by the CPU.';
  const others = gpus.length === 1 ? '' : ` and ${gpus.length - 1} more`;
  // An engine with Metal encodes images itself.
  const vision = backends.find(({ name, failure }) => name.startsWith('vision-') && failure === undefined)?.name;
  const images = vision ?? (first.backend === 'metal' ? 'metal' : 'the CPU');
  return `Models are computed by ${first.backend} on ${first.name}${others}, images are encoded by ${images}.`;
}
