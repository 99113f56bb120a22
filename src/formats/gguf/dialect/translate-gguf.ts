// GGUF files of Ollama's library that llama.cpp does not load as they are: other names of architectures, keys and tensors,
// and several parts in one file. Ollama translates them when it loads them, and so does Hearth. Files of llama.cpp's own
// converter are left alone.

import { type DialectRow, textEntry } from './dialect-row.ts';
import { type GgufHeader, HeaderEdit, HeaderReader } from './header-edit.ts';
import { gemmaRows } from './rows/gemma-rows.ts';
import { nemotronRows } from './rows/nemotron-rows.ts';
import { qwenRows } from './rows/qwen-rows.ts';
import { textRows } from './rows/text-rows.ts';
import { visionRows } from './rows/vision-rows.ts';
import type { TranslatedFile, Translation } from './translation.ts';

// The first row that applies counts: embeddinggemma is before gemma3.
const rows: readonly DialectRow[] = [...textRows, ...gemmaRows, ...qwenRows, ...nemotronRows, ...visionRows];

/** Whether long arrays are needed to tell the dialect. */
export function needsArrays(header: GgufHeader): boolean {
  const reader = new HeaderReader(header);
  return rowsOf(reader).some((row) => row.needsArrays?.(reader) ?? false);
}

/** Undefined if llama.cpp loads the file as it is. */
export function translateGguf(header: GgufHeader): Translation | undefined {
  const reader = new HeaderReader(header);
  if (reader.architecture === 'clip') return translateProjector(header, reader);
  const row = rowsOf(reader).find(({ applies = () => true }) => applies(reader));
  return row && { row: row.name, weights: editWeights(row, header), projector: editProjector(row, header, reader) };
}

function rowsOf({ architecture }: HeaderReader): readonly DialectRow[] {
  return rows.filter(({ architectures }) => architectures.includes(architecture));
}

// After the name of the architecture.
const keyOfOthers = /^[^.]+\.(?:vision|audio|sam|mm)\./;

function editWeights({ others = [], editWeights }: DialectRow, header: GgufHeader): TranslatedFile {
  const edit = new HeaderEdit(header, 'all', (name) => !others.some((prefix) => name.startsWith(prefix)));
  editWeights(edit);
  for (const key of edit.keyNames()) if (keyOfOthers.test(key)) edit.remove(key);
  return edit.finish();
}

function editProjector(
  { projector }: DialectRow,
  header: GgufHeader,
  reader: HeaderReader,
): TranslatedFile | undefined {
  if (projector === undefined) return undefined;
  const { tensors, exists = () => reader.hasTensor(tensors[0] ?? '') } = projector;
  if (!exists(reader)) return undefined;
  const edit = new HeaderEdit(header, 'none', (name) => tensors.some((prefix) => name.startsWith(prefix)));
  edit.set('general.architecture', textEntry('clip'));
  edit.set('general.type', textEntry('mmproj'));
  for (const key of ['general.name', 'general.file_type', 'general.alignment']) edit.copy(key, key);
  projector.edit(edit);
  return edit.finish();
}

/** Projectors of the first LLaVA models do not say of what kind they are. */
function translateProjector(header: GgufHeader, reader: HeaderReader): Translation | undefined {
  const isComplete = reader.has('clip.projector_type') || reader.has('clip.vision.projector_type');
  if (isComplete || header.metadata.get('clip.has_vision_encoder') !== true) return undefined;
  const edit = new HeaderEdit(header, 'all', () => true);
  edit.set('clip.projector_type', textEntry('mlp'));
  return { row: 'clip', projector: edit.finish() };
}
