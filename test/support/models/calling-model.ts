// A real model with set weights: it calls the tool `echo` with the text "cobalt", and then reports the word that the context has.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeReportingModel } from '../../agents/model/write-reporting-model.ts';
import { addModel } from './endless-ember.ts';

export async function addCallingModel(storeFolder: string, name: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-calling-'));
  const path = join(folder, 'model.gguf');
  try {
    await writeReportingModel(path, {
      call: '<tool_call>\n{"name": "echo", "arguments": {"text": "cobalt"}}\n</tool_call>',
      report: 'The tool said ',
      words: ['cobalt'],
      contextLength: 8192,
    });
    await addModel(storeFolder, name, readFileSync(path), { num_ctx: 8192, temperature: 0 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
