// The samplers that a request lists, as options: those that are not listed get values that change nothing.

import { invalid } from '../../shared/read-fields.ts';

const neutral: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  penalties: { repeat_penalty: 1, presence_penalty: 0, frequency_penalty: 0 },
  dry: { dry_multiplier: 0 },
  top_n_sigma: { top_n_sigma: -1 },
  top_k: { top_k: 0 },
  typ_p: { typical_p: 1 },
  top_p: { top_p: 1 },
  min_p: { min_p: 0 },
  xtc: { xtc_probability: 0 },
  temperature: { temperature: 1, dynatemp_range: 0 },
};
const otherNames: Readonly<Record<string, string>> = { typical_p: 'typ_p', tfs_z: '', adaptive_p: '', infill: '' };
const maxSamplers = 32;

export function readSamplers(samplers: readonly string[]): Readonly<Record<string, number>> {
  if (samplers.length > maxSamplers) throw invalid('samplers', `there are more than ${maxSamplers}`);
  const listed = new Set(samplers.map((name) => otherNames[name] ?? name));
  listed.delete('');
  for (const name of listed)
    if (!Object.hasOwn(neutral, name)) throw invalid('samplers', `"${name.slice(0, 50)}" is unknown`);
  return Object.assign({}, ...Object.entries(neutral).map(([name, values]) => (listed.has(name) ? {} : values)));
}
