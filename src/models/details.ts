// Details of a model in listings: format, family, size, quantization. Stored in the model's config blob.

export interface ModelDetails {
  readonly format: string;
  readonly family: string;
  readonly families: readonly string[] | null;
  readonly parameterSize: string;
  readonly quantizationLevel: string;
}

/** As Ollama formats it: 29491200 is "29.49M", 125000000 is "125M", 8030261248 is "8.0B". */
export function formatParameterCount(count: number): string {
  if (count >= 1e9) return `${roundTo(count / 1e9, 1)}B`;
  if (count >= 1e6) return `${roundTo(count / 1e6, 2)}M`;
  if (count >= 1e3) return `${roundTo(count / 1e3, 0)}K`;
  return String(count);
}

/** Integers have no decimals. Ties are rounded to even, as in Go. */
function roundTo(value: number, digits: number): string {
  if (Number.isInteger(value)) return String(value);
  const scaled = value * 10 ** digits;
  // Only a multiple of 1/8 can be an exact tie; other decimals have no exact representation.
  const isTie = Number.isInteger(value * 8) && scaled % 1 === 0.5;
  return (isTie ? (2 * Math.round(scaled / 2)) / 10 ** digits : value).toFixed(digits);
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
