// Checks the size of a JPEG: reads the dimensions from the frame segment and counts the scans, because each scan
// decodes the entire image.

import { HearthError } from '../../base/errors.ts';
import { checkImageSize, damaged, type ImageFacts, imageLimits } from './limits.ts';

const markers = { start: 0xd8, end: 0xd9, scan: 0xda, temporary: 0x01, firstRestart: 0xd0, lastRestart: 0xd7 } as const;
/** Baseline, extended and progressive. Other kinds are rare and not supported by the decoder. */
const readableFrames: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);
// In the range of frames, but not frames: Huffman tables, an extension, arithmetic tables.
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
  if (scans === 0) throw damaged('jpeg', 'it has no scan');
  return facts;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && !notFrames.has(marker);
}

function readFrame(marker: number, body: Buffer): ImageFacts {
  if (!readableFrames.has(marker))
    throw new HearthError('bad_request', 'this kind of JPEG is not supported: send a baseline or a progressive one');
  if (body.length < 6) throw damaged('jpeg', 'its frame is truncated');
  const precision = body.readUInt8(0);
  const components = body.readUInt8(5);
  if (precision !== 8 || !readableComponents.has(components)) {
    const kind = `${precision} bits and ${components} components`;
    throw new HearthError('bad_request', `a JPEG of ${kind} is not supported: send one of 8 bits`);
  }
  const facts = { format: 'jpeg', width: body.readUInt16BE(3), height: body.readUInt16BE(1) } as const;
  checkImageSize(facts);
  return facts;
}

/** Up to the end marker or the end of the file: some cameras omit the marker, and decoders accept that. */
function* segments(file: Buffer): Generator<{ readonly marker: number; readonly body: Buffer }> {
  let offset = 2;
  for (let count = 0; offset < file.length; count++) {
    if (count > imageLimits.jpegSegments) throw damaged('jpeg', 'it has too many segments');
    const start = nextMarker(file, offset);
    if (start === -1) return;
    const marker = file.readUInt8(start);
    if (marker === markers.end) return;
    const body = bodyAt(file, start + 1);
    yield { marker, body };
    // The search for the next marker skips the compressed data of a scan.
    offset = start + 3 + body.length;
  }
}

function bodyAt(file: Buffer, offset: number): Buffer {
  if (offset + 2 > file.length) throw damaged('jpeg', 'it is truncated');
  const length = file.readUInt16BE(offset);
  if (length < 2 || offset + length > file.length) throw damaged('jpeg', 'it is truncated');
  return file.subarray(offset + 2, offset + length);
}

/** The offset of the next marker that starts a segment or ends the file; -1 if there is none. */
function nextMarker(file: Buffer, from: number): number {
  // Not indexOf: in hostile data every second byte is 0xff, and a call costs more than reading a byte.
  for (let at = from; at + 1 < file.length; at++) {
    if (file[at] === 0xff && startsSegment(file[at + 1] as number)) return at + 1;
  }
  return -1;
}

/** 0 is an escaped 0xff in the data, and 0xff a fill byte. */
function startsSegment(marker: number): boolean {
  const isData = marker === 0 || marker === 0xff || isRestart(marker);
  return !isData && marker !== markers.temporary && marker !== markers.start;
}

function isRestart(marker: number): boolean {
  return marker >= markers.firstRestart && marker <= markers.lastRestart;
}
