// Plans the tensors of the result: names, types, shapes and order, as in llama.cpp's converter.

import { withoutTrailing } from '../../base/text/without-trailing.ts';
import type { Checkpoint } from './config/checkpoint.ts';
import { expertCountKeys } from './config/describe-decoder.ts';
import type { ExpertNames, Family } from './families/family.ts';
import { checkpointLimits, unusable } from './files/checkpoint-error.ts';
import type { ConfigObject } from './files/json-object.ts';
import type { FloatType } from './tensors/number-formats.ts';
import { chooseType, type NamedPiece, type OutputTensor, type TensorPiece } from './tensors/output-tensor.ts';
import type { NamedTensor, SourceTensor } from './tensors/source-tensors.ts';
import { layerOf, mapTensorName } from './tensors/tensor-names.ts';

const unused = /\.(?:attention\.masked_bias|attention\.bias|rotary_emb\.inv_freq)$/;
/** Encoders of images and sound, which are not part of the text model. */
const otherEncoders = /vision[_.]|visual\.|audio[_.]|projector\.|^model\.connector\.|patch_merger\./;

/** Leaves out what the text model does not need. */
export function selectTensors(
  tensors: readonly SourceTensor[],
  family: Family,
  { model, config }: { readonly model: string; readonly config: ConfigObject },
): NamedTensor[] {
  return tensors.flatMap((source) => {
    if (unused.test(source.name) || otherEncoders.test(source.name)) return [];
    const plain = source.name.replace('language_model.', '');
    const name = family.rename === undefined ? plain : family.rename(plain, model, config);
    return name === undefined ? [] : [{ name, source }];
  });
}

/** The type of most matrices; F16 if they are neither F16 nor BF16. */
export function guessType(tensors: readonly NamedTensor[]): FloatType {
  const matrix = tensors.find(
    ({ source: { type, shape } }) => shape.length >= 2 && (type === 'BF16' || type === 'F16'),
  );
  return matrix?.source.type === 'BF16' ? 'BF16' : 'F16';
}

export async function planTensors(family: Family, checkpoint: Checkpoint): Promise<OutputTensor[]> {
  const planned = [...((await family.extraTensors?.(checkpoint)) ?? [])];
  const experts = createExpertCollector(family, checkpoint);
  for (const { name, source } of checkpoint.tensors) {
    if (family.omits?.(name, checkpoint.config) === true) continue;
    const isExpert = family.experts !== undefined && experts.take(name, source, planned);
    if (isExpert) continue;
    const whole = (): NamedPiece[] => [{ name, piece: family.change?.(source, name, checkpoint) ?? { source } }];
    for (const { name: own, piece } of family.split?.(source, name, checkpoint) ?? whole()) {
      const target = mapTensorName(own, family.names);
      if (target === undefined) throw unusable(`a ${family.architecture} model has no tensor ${source.name}`);
      planned.push(toOutput(target, piece.shape ?? piece.source.shape, [piece], checkpoint.type));
    }
  }
  experts.checkComplete();
  checkNames(planned);
  return planned;
}

function toOutput(name: string, shape: readonly number[], data: readonly TensorPiece[], type: FloatType): OutputTensor {
  return { name, shape, type: chooseType(name, shape, type), data };
}

function checkNames(tensors: readonly OutputTensor[]): void {
  const names = new Set<string>();
  for (const { name } of tensors) {
    if (names.has(name)) throw unusable(`two tensors would get the name ${name}`);
    names.add(name);
  }
}

/** Collects the matrices of the experts of a layer, and adds one tensor for each kind when all have been found. */
function createExpertCollector({ experts, names }: Family, { parameters, type }: Checkpoint) {
  const layers = new Map<number, Map<string, SourceTensor>>();

  const take = (name: string, source: SourceTensor, planned: OutputTensor[]): boolean => {
    const layer = layerOf(name, names);
    const match = layer === undefined ? null : ((experts as ExpertNames).pattern.exec(layer.rest) ?? null);
    if (layer === undefined || match === null) return false;
    const count = expertCount();
    const found = layers.get(layer.number) ?? new Map<string, SourceTensor>();
    found.set(`${match[2]}.${Number(match[1])}`, source);
    layers.set(layer.number, found);
    const { matrices } = experts as ExpertNames;
    if (found.size < count * Object.keys(matrices).length) return true;
    for (const [matrix, target] of Object.entries(matrices)) {
      const sources = Array.from({ length: count }, (_, expert) => requireExpert(found, `${matrix}.${expert}`, name));
      planned.push(
        toOutput(
          `blk.${layer.number}.${target}.weight`,
          [count, ...(sources[0] as SourceTensor).shape],
          sources.map((tensor) => ({ source: tensor })),
          type,
        ),
      );
    }
    layers.delete(layer.number);
    return true;
  };

  const expertCount = (): number => {
    const count = parameters.requiredInteger(...expertCountKeys);
    if (count === 0 || count > checkpointLimits.experts) throw unusable(`it has ${count} experts`);
    return count;
  };

  return {
    take,
    checkComplete(): void {
      const [layer] = layers.keys();
      if (layer !== undefined) throw unusable(`experts of layer ${layer} are missing`);
    },
  };
}

function requireExpert(found: ReadonlyMap<string, SourceTensor>, key: string, name: string): SourceTensor {
  const source = found.get(key);
  const first = found.get(`${withoutTrailing(key, /\d/)}0`);
  if (source === undefined || first === undefined) throw unusable(`an expert next to ${name} is missing`);
  if (String(source.shape) !== String(first.shape)) throw unusable(`the experts next to ${name} have different shapes`);
  return source;
}
