// A folder in which checkpoints are converted, by our code and by llama.cpp's converter, and compared.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { convertCheckpoint } from '../../src/formats/checkpoint/convert-checkpoint.ts';
import { convertProjector } from '../../src/formats/checkpoint/vision/convert-projector.ts';
import { type Gguf, readGgufFile } from '../../src/formats/gguf/read-gguf.ts';
import { collectStream, toCheckpointFiles } from '../support/checkpoints/memory-files.ts';
import { repository } from '../support/repository.ts';

const llamaCpp = process.env['LLAMA_CPP'];
const python = process.env['PYTHON'] ?? 'python3';

/** Guessed from the name of the folder. */
const guessed = new Set(['general.name', 'general.basename', 'general.finetune', 'general.version']);

export function openReferenceFolder() {
  if (llamaCpp === undefined) throw new Error('set LLAMA_CPP to the folder of the source of llama.cpp');
  const root = mkdtempSync(join(tmpdir(), 'hearth-reference-'));
  for (const kind of ['ours', 'theirs', 'checkpoints']) mkdirSync(join(root, kind));
  const at = (kind: string, name = ''): string => join(root, kind, name);
  return {
    root,
    at,
    /** Converts the checkpoint of this name. */
    async convert(name: string): Promise<void> {
      const files = await convertCheckpoint(toCheckpointFiles(readFolder(at('checkpoints', name))), { name });
      writeFileSync(at('ours', name), await collectStream(files));
    },
    async convertProjector(name: string): Promise<void> {
      const files = await convertProjector(toCheckpointFiles(readFolder(at('checkpoints', name))), { name });
      writeFileSync(at('ours', `${name}.mmproj`), await collectStream(files));
    },
    runPython(script: string, ...values: string[]): void {
      execFileSync(python, [repository(`test/reference/${script}`), ...values], { stdio: 'inherit' });
    },
    convertTheirs(): void {
      execFileSync(python, [repository('test/reference/convert.py'), llamaCpp, root], { stdio: 'inherit' });
    },
    convertTheirProjectors(): void {
      execFileSync(python, [repository('test/reference/convert_projectors.py'), llamaCpp, root], { stdio: 'inherit' });
    },
    /** What is compared of a file: metadata in order of keys, and all tensors. */
    async read(kind: 'ours' | 'theirs', name: string) {
      if (!existsSync(at(kind, name))) throw new Error(readFileSync(at(kind, `${name}.error`), 'utf8'));
      const gguf = await readGgufFile(at(kind, name));
      return { metadata: metadataOf(gguf), tensors: tensorsOf(gguf, readFileSync(at(kind, name))) };
    },
    remove: (): void => rmSync(root, { recursive: true }),
  };
}

function readFolder(folder: string): Record<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = paths.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(files.map((path) => [relative(folder, path).replaceAll('\\', '/'), readFileSync(path)]));
}

function metadataOf({ metadata }: Gguf) {
  const entries = [...metadata].filter(([key]) => !guessed.has(key));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function tensorsOf({ tensors }: Gguf, file: Buffer) {
  return tensors.map(({ name, shape, type, offset, bytes }) => ({
    name,
    shape,
    type: type.name,
    data: name.endsWith('.ssm_a')
      ? exponentials(file, offset, bytes)
      : file.subarray(offset, offset + bytes).toString('base64'),
  }));
}

/** PyTorch's exponential can be the neighbor of the nearest number. */
function exponentials(file: Buffer, offset: number, bytes: number): string[] {
  const values = new Float32Array(new Uint8Array(file.subarray(offset, offset + bytes)).buffer);
  return [...values].map((value) => value.toPrecision(6));
}
