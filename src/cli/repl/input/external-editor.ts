// Ctrl-G at the prompt: edits the message in the user's editor.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { withoutTrailing } from '../../../base/text/without-trailing.ts';
import { safeLine } from '../../output/format.ts';
import { replaceSignalHandlers } from '../../programs/replace-signal-handlers.ts';
import { maxLineLength } from '../editor/line.ts';
import type { Keyboard } from './keyboard.ts';

interface ExternalEditor {
  readonly keyboard: Keyboard;
  /** A command line, such as `code --wait`. */
  readonly command: string;
}

/** Returns the edited text. Throws if the editor fails: the text is then unchanged. */
export async function editExternally(text: string, { keyboard, command }: ExternalEditor): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-message-'));
  const path = join(folder, 'message.md');
  keyboard.close();
  // Ctrl-C belongs to the editor while it runs.
  const restoreInterrupts = replaceSignalHandlers(['SIGINT'], () => {});
  try {
    await writeFile(path, text, { mode: 0o600 });
    await runEditor(command, path);
    if ((await stat(path)).size > maxLineLength) throw new HearthError('bad_request', 'the message is too long');
    return withoutTrailing((await readFile(path, 'utf8')).replace(/\r\n?/g, '\n'), /\n/);
  } finally {
    restoreInterrupts();
    keyboard.open();
    await rm(folder, { recursive: true, force: true });
  }
}

async function runEditor(command: string, path: string): Promise<void> {
  // The command may contain flags, so a shell splits it.
  const child =
    process.platform === 'win32'
      ? spawn(`${command} "${path}"`, { stdio: 'inherit', shell: true })
      : spawn('/bin/sh', ['-c', `${command} "$1"`, 'sh', path], { stdio: 'inherit' });
  const failed = (reason: string): HearthError =>
    new HearthError('bad_request', `the editor '${safeLine(command)}' failed: ${reason}; set EDITOR to another one`);
  const [code, signal] = (await once(child, 'close').catch((error: unknown) => {
    throw failed(messageOf(error));
  })) as [number | null, string | null];
  if (code !== 0) throw failed(code === null ? `signal ${signal}` : `exit code ${code}`);
}
