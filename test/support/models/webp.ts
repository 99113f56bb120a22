// WebP files as text: Node has no encoder.

/** A red rectangle of 64 x 48 pixels. */
export const redWebp = {
  lossy: Buffer.from(
    'UklGRlQAAABXRUJQVlA4IEgAAACwAwCdASpAADAAPpFIoEwlpCMiIqgAsBIJZwDTUoAAFR+9CbTFAAD+7qY//4DdfFtMv/9zgf9zgf9zgfxtQQfvYdrhmPRsAAA=',
    'base64',
  ),
  lossless: Buffer.from('UklGRiIAAABXRUJQVlA4TBUAAAAvP8ALAAcQ/Y/+B4CE8H+9GNH/1A8A', 'base64'),
} as const;

/** `drawPng` of a red circle, without loss. */
export const circleWebp =
  'UklGRqAAAABXRUJQVlA4TJQAAAAvf8AfADU4bttIkjLZ/LPc58yUNdee1vhG/yfg6W/Tx8X70tV3ohvzdSBbh4J1LFVHI3U4TwNhGonSUJDGYjQY' +
  'otGnoOEAjT98BQwr4qEr5IEr5mVT0JumqN/ZJPGmkcPLRgoPnAweOglMz/PwmSZhlqfAJClz5EyRNEPWBHGnSTxL6DlyTxF9gvhbuY/ruavL/NsU';
