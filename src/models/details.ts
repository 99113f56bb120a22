// Details of a model in listings: format, family, size, quantization. Stored in the model's config blob.

export interface ModelDetails {
  readonly format: string;
  readonly family: string;
  readonly families: readonly string[] | null;
  readonly parameterSize: string;
  readonly quantizationLevel: string;
}

/** 29491200 is "29.49M", 8030261248 is "8.0B". */
export function formatParameterCount(count: number): string {
  if (count >= 1e9) {
    const billions = count / 1e9;
    return billions === Math.floor(billions) ? `${billions}B` : `${billions.toFixed(1)}B`;
  }
  if (count >= 1e6) return `${(count / 1e6).toFixed(2)}M`;
  if (count >= 1e3) return `${Math.round(count / 1e3)}K`;
  return String(count);
}

// Values of general.file_type in GGUF. 0 is F32, but is omitted: files without the key read as 0 too.
const fileTypes: ReadonlyMap<number, string> = new Map([
  [1, 'F16'],
  [2, 'Q4_0'],
  [3, 'Q4_1'],
  [7, 'Q8_0'],
  [8, 'Q5_0'],
  [9, 'Q5_1'],
  [10, 'Q2_K'],
  [11, 'Q3_K_S'],
  [12, 'Q3_K_M'],
  [13, 'Q3_K_L'],
  [14, 'Q4_K_S'],
  [15, 'Q4_K_M'],
  [16, 'Q5_K_S'],
  [17, 'Q5_K_M'],
  [18, 'Q6_K'],
  [19, 'IQ2_XXS'],
  [20, 'IQ2_XS'],
  [21, 'Q2_K_S'],
  [22, 'IQ3_XS'],
  [23, 'IQ3_XXS'],
  [24, 'IQ1_S'],
  [25, 'IQ4_NL'],
  [26, 'IQ3_S'],
  [27, 'IQ3_M'],
  [28, 'IQ2_S'],
  [29, 'IQ2_M'],
  [30, 'IQ4_XS'],
  [31, 'IQ1_M'],
  [32, 'BF16'],
]);

export function fileTypeName(fileType: unknown): string {
  return (typeof fileType === 'number' ? fileTypes.get(fileType) : undefined) ?? 'unknown';
}
