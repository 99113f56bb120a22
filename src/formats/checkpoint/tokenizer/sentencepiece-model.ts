// Reads the pieces of a SentencePiece model: a protocol buffer, of which only a few fields matter.
//
//   ModelProto     = { 1: SentencePiece … , 3: NormalizerSpec }
//   SentencePiece  = { 1: text, 2: score (float), 3: kind (varint, default 1) }
//
// A field is a varint with its number and wire type, and then a varint, 8 bytes, a length with bytes, or 4 bytes.

import { checkpointLimits, unusable } from '../files/checkpoint-error.ts';

export interface Piece {
  readonly text: string;
  readonly score: number;
  /** The numbers of SentencePiece, which are those of llama.cpp. */
  readonly kind: number;
}

export function readSentencePieces(bytes: Buffer): Piece[] {
  const pieces: Piece[] = [];
  for (const { number, value } of fieldsOf(bytes)) {
    if (number !== 1 || !(value instanceof Buffer)) continue;
    pieces.push(readPiece(value));
    if (pieces.length > checkpointLimits.tokens) throw malformed('it has too many pieces');
  }
  if (pieces.length === 0) throw malformed('it has no pieces');
  return pieces;
}

function readPiece(bytes: Buffer): Piece {
  let text = '';
  let score = 0;
  let kind = 1;
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1 && value instanceof Buffer) text = value.toString('utf8');
    else if (number === 2 && value instanceof Buffer && value.length === 4) score = value.readFloatLE(0);
    else if (number === 3 && typeof value === 'number') kind = value;
  }
  return { text, score, kind };
}

/** Numbers of fields with a fixed size are returned as bytes. */
function* fieldsOf(bytes: Buffer): Generator<{ readonly number: number; readonly value: number | Buffer }> {
  let offset = 0;

  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 64; shift += 7) {
      const byte = bytes[offset++];
      if (byte === undefined) throw malformed('it is truncated');
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw malformed('it has a number of more than 64 bits');
  };
  const take = (length: number): Buffer => {
    if (length > bytes.length - offset) throw malformed('it is truncated');
    offset += length;
    return bytes.subarray(offset - length, offset);
  };

  while (offset < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        yield { number, value: take(8) };
        break;
      case 2:
        yield { number, value: take(varint()) };
        break;
      case 5:
        yield { number, value: take(4) };
        break;
      default:
        throw malformed(`it has a field of the unknown type ${tag % 8}`);
    }
  }
}

function malformed(what: string) {
  return unusable(`tokenizer.model is not a SentencePiece model: ${what}`);
}
