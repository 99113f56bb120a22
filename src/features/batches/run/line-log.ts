// The file that results are appended to while a batch runs. Each line is one write, so that a server that is killed leaves
// complete lines, and at most a part of the last one.

import { type FileHandle, open } from 'node:fs/promises';

const newline = 0x0a;
const chunkBytes = 2 ** 20;

export class LineLog {
  readonly #file: FileHandle;
  #end: number;
  /** Writes one after another. */
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(file: FileHandle, end: number) {
    this.#file = file;
    this.#end = end;
  }

  /** Opens or creates the file, calls `onLine` with each complete line, and removes the rest. */
  static async open(path: string, onLine: (line: string) => void): Promise<LineLog> {
    const file = await open(path, 'a+', 0o600);
    let rest = Buffer.alloc(0);
    let end = 0;
    for (let at = 0; ; ) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const last = rest.lastIndexOf(newline);
      if (last === -1) continue;
      for (const line of rest.toString('utf8', 0, last).split('\n')) onLine(line);
      end += last + 1;
      rest = rest.subarray(last + 1);
    }
    await file.truncate(end);
    return new LineLog(file, end);
  }

  get isEmpty(): boolean {
    return this.#end === 0;
  }

  append(line: string): Promise<void> {
    const text = Buffer.from(`${line}\n`);
    const write = async (): Promise<void> => {
      try {
        await this.#file.appendFile(text);
        this.#end += text.length;
      } catch (error) {
        // What was written of it would be the start of the next line.
        await this.#file.truncate(this.#end);
        throw error;
      }
    };
    const written = this.#writing.then(write);
    this.#writing = written.catch(() => {});
    return written;
  }

  /** Ends the file. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#file.sync();
    await this.#file.close();
  }
}
