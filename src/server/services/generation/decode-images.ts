// Decodes the images of a request: base64, with or without the prefix of a data URL. Only files of a known format and
// size reach the engine.

import { HearthError } from '../../../base/errors.ts';
import { checkImage } from '../../../formats/image/check-image.ts';

const dataUrl = /^data:[^,]{0,100};base64,/;
const wellFormed = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export async function decodeImages(encoded: readonly string[]): Promise<Buffer[]> {
  const images = encoded.map(decodeImage);
  for (const [index, image] of images.entries()) {
    try {
      await checkImage(image);
    } catch (error) {
      if (error instanceof HearthError) throw new HearthError(error.code, `image ${index + 1}: ${error.message}`);
      throw error;
    }
  }
  return images;
}

function decodeImage(text: string): Buffer {
  const encoded = text.replace(dataUrl, '').replace(/[\r\n]/g, '');
  if (wellFormed.test(encoded)) return Buffer.from(encoded, 'base64');
  const at = encoded.search(/[^A-Za-z0-9+/]/);
  throw new HearthError('bad_request', `illegal base64 data at input byte ${at === -1 ? encoded.length : at}`);
}
