// JPEG, as far as its size goes: walks over its segments to the frame, which says how large the picture is, and counts
// the scans, each of which goes over the whole picture.

import { HearthError } from '../../base/errors.ts';
import { checkSize, damaged, type ImageFacts, imageLimits } from './limits.ts';

const markers = { start: 0xd8, end: 0xd9, scan: 0xda, temporary: 0x01, firstRestart: 0xd0, lastRestart: 0xd7 } as const;
/** Baseline, extended and progressive; the others are not in use outside of laboratories. */
const readableFrames: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);
// These lie among the frames but are none: Huffman tables, an extension, arithmetic tables.
const notFrames: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);
const readableComponents: ReadonlySet<number> = new Set([1, 3, 4]);

export function checkJpeg(file: Buffer): ImageFacts {
  let facts: ImageFacts | undefined;
  let scans = 0;
  for (const { marker, body } of segments(file)) {
    if (isFrame(marker)) {
      if (facts !== undefined) throw damaged('jpeg', 'it has two frames');
      facts = readFrame(marker, body);
    }
    if (marker !== markers.scan) continue;
    scans++;
    if (scans > imageLimits.jpegScans)
      throw new HearthError('bad_request', `the JPEG has more than ${imageLimits.jpegScans} scans`);
  }
  if (facts === undefined) throw damaged('jpeg', 'it has no frame');
  if (scans === 0) throw damaged('jpeg', 'it has no picture in it');
  return facts;
}

interface Segment {
  readonly marker: number;
  readonly body: Buffer;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && !notFrames.has(marker);
}

function readFrame(marker: number, body: Buffer): ImageFacts {
  if (!readableFrames.has(marker))
    throw new HearthError('bad_request', 'this kind of JPEG cannot be read: send a baseline or a progressive one');
  if (body.length < 6) throw damaged('jpeg', 'its frame is cut off');
  const precision = body.readUInt8(0);
  const components = body.readUInt8(5);
  if (precision !== 8 || !readableComponents.has(components)) {
    const kind = `${precision} bits and ${components} components`;
    throw new HearthError('bad_request', `a JPEG of ${kind} cannot be read: send one of 8 bits`);
  }
  const facts = { format: 'jpeg', width: body.readUInt16BE(3), height: body.readUInt16BE(1) } as const;
  checkSize(facts);
  return facts;
}

/** Up to the end marker, or the end of the file: cameras forget the marker, and viewers do not mind. */
function* segments(file: Buffer): Generator<Segment> {
  let offset = 2;
  while (offset < file.length) {
    const start = nextMarker(file, offset);
    if (start === -1) return;
    const marker = file.readUInt8(start);
    if (marker === markers.end) return;
    const body = bodyAt(file, start + 1);
    yield { marker, body };
    // What follows a scan's head is compressed data, which the search for the next marker passes over.
    offset = start + 3 + body.length;
  }
}

function bodyAt(file: Buffer, offset: number): Buffer {
  if (offset + 2 > file.length) throw damaged('jpeg', 'it ends too early');
  const length = file.readUInt16BE(offset);
  if (length < 2 || offset + length > file.length) throw damaged('jpeg', 'it ends too early');
  return file.subarray(offset + 2, offset + length);
}

/** Where the number of the next marker stands that begins a segment or ends the file; -1 where none comes. */
function nextMarker(file: Buffer, from: number): number {
  let at = file.indexOf(0xff, from);
  while (at !== -1 && at + 1 < file.length) {
    const marker = file.readUInt8(at + 1);
    // 0: an 0xff of the data. 0xff: a filler.
    const isSegment = marker !== 0 && marker !== 0xff && marker !== markers.temporary && marker !== markers.start;
    if (isSegment && !isRestart(marker)) return at + 1;
    at = file.indexOf(0xff, marker === 0xff ? at + 1 : at + 2);
  }
  return -1;
}

function isRestart(marker: number): boolean {
  return marker >= markers.firstRestart && marker <= markers.lastRestart;
}
