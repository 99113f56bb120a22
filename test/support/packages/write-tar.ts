// Writes tar files for tests, including invalid ones.

import { gzipSync } from 'node:zlib';

export interface TarFile {
  readonly path: string;
  readonly content: Buffer | string;
  /** Default: "0", a regular file. */
  readonly type?: string;
  /** In place of the true size. */
  readonly declaredSize?: number;
  /** Writes the path into an extended header: pax or GNU. */
  readonly longPath?: 'pax' | 'gnu';
}

export function writeTar(files: readonly TarFile[]): Buffer {
  return Buffer.concat([...files.flatMap(member), Buffer.alloc(1024)]);
}

export function writeTarGz(files: readonly TarFile[]): Buffer {
  return gzipSync(writeTar(files), { level: 1 });
}

function member(file: TarFile): Buffer[] {
  const content = Buffer.from(file.content);
  const header = headerOf(
    file.longPath === undefined ? file.path : 'long',
    file.type ?? '0',
    file.declaredSize ?? content.length,
  );
  return [...extension(file), header, padded(content)];
}

function extension({ path, longPath }: TarFile): Buffer[] {
  if (longPath === undefined) return [];
  const text = longPath === 'gnu' ? `${path}\0` : paxRecord(`path=${path}`);
  const content = Buffer.from(text);
  return [headerOf('extension', longPath === 'gnu' ? 'L' : 'x', content.length), padded(content)];
}

/** The length counts its own digits. */
export function paxRecord(text: string): string {
  const base = Buffer.byteLength(text) + 2;
  const length = base + String(base + String(base).length).length;
  return `${length} ${text}\n`;
}

function headerOf(path: string, type: string, size: number): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0, 100);
  header.write('0000644\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\0', 257);
  header.write('00', 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content], Math.ceil(content.length / 512) * 512);
}
