// Whether a model would fit this machine, as data and in words.

/**
 * `gpu`: entirely on GPUs. `layers`: some layers are on GPUs. `memory`: in main memory, where its size is no trouble. `slow`:
 * in main memory, and large. `no`: there is too little memory.
 */
export interface LoadFit {
  readonly verdict: 'gpu' | 'layers' | 'memory' | 'slow' | 'no';
  /** Layers on GPUs. Absent if their number is only guessed, and for other verdicts. */
  readonly layers?: { readonly onGpus: number; readonly total: number };
  /** Layers, all on GPUs, whose experts are in main memory. */
  readonly expertLayers?: number;
}

export function fitText({ verdict, layers, expertLayers }: LoadFit): string {
  if (expertLayers !== undefined && layers !== undefined)
    return `fits with the experts of ${expertLayers} of ${layers.total - 1} layers in main memory`;
  if (verdict === 'layers' && layers !== undefined) return `fits with ${layers.onGpus} of ${layers.total} layers`;
  const texts = {
    gpu: 'fits the GPU',
    layers: 'fits partly on the GPU',
    memory: 'fits in memory',
    slow: 'slow',
    no: 'does not fit',
  };
  return texts[verdict];
}
