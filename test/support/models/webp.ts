// A red rectangle of 64 x 48 pixels as WebP. Node has no encoder.

export const redWebp = {
  lossy: Buffer.from(
    'UklGRlQAAABXRUJQVlA4IEgAAACwAwCdASpAADAAPpFIoEwlpCMiIqgAsBIJZwDTUoAAFR+9CbTFAAD+7qY//4DdfFtMv/9zgf9zgf9zgfxtQQfvYdrhmPRsAAA=',
    'base64',
  ),
  lossless: Buffer.from('UklGRiIAAABXRUJQVlA4TBUAAAAvP8ALAAcQ/Y/+B4CE8H+9GNH/1A8A', 'base64'),
} as const;
