// The option `override_tensor`: where single tensors of a model are.
//
//   text = override { "," override }
//   override = pattern "=" device        such as \.ffn_.*_exps\.=CPU

export interface TensorOverride {
  /** A regular expression for a part of the tensor's name, as llama.cpp reads it. */
  readonly pattern: string;
  /** `CPU`, or the name of a GPU: `CUDA0`. */
  readonly device: string;
}

const maxOverrides = 32;
// A quantifier follows a character or a class. After a group, a search could take exponential time. Parentheses and
// brackets that do not match would end the runner.
const pattern = /^(?:[\w-]|\\[.\w]|\.|\[[\w-]{1,64}\]|\((?:[\w|-]|\\\.){1,64}\)(?![*+?{])|[*+?^$|](?![*+?{]))+$/;
const device = /^[A-Za-z]\w{0,31}$/;

/** Undefined: invalid. */
export function parseOverrides(text: string): TensorOverride[] | undefined {
  const overrides = text.split(',').map(parseOverride);
  if (overrides.length > maxOverrides) return undefined;
  return overrides.every((override) => override !== undefined) ? overrides : undefined;
}

function parseOverride(text: string): TensorOverride | undefined {
  const end = text.lastIndexOf('=');
  const override = { pattern: text.slice(0, Math.max(end, 0)), device: text.slice(end + 1) };
  const isValid = pattern.test(override.pattern) && /^[^*+?]/.test(override.pattern) && device.test(override.device);
  return isValid ? override : undefined;
}
