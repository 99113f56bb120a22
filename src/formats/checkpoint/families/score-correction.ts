// What GLM 4 and DeepSeek add to the scores of experts before they choose. The name has no ending of its own.

export function withoutCorrectionName(name: string): string {
  return name.replace(/\.e_score_correction_bias$/, '.e_score_correction.bias');
}
