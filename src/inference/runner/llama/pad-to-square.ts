// Makes an image square with bars in the color of its edge, for projectors that were trained on square images with a plain
// background.

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Three bytes for each pixel, row by row. */
  readonly rgb: Uint8Array;
}

const channels = 3;

/** Larger images lose rows and columns, so that the memory does not depend on their proportions. */
export function padToSquare(image: Pixels, maxSide = 1024): Pixels {
  const step = Math.ceil(Math.max(image.width, image.height) / maxSide);
  const width = Math.ceil(image.width / step);
  const height = Math.ceil(image.height / step);
  const side = Math.max(width, height);
  const left = (side - width) >> 1;
  const top = (side - height) >> 1;
  const pixelAt = (x: number, y: number): Uint8Array => {
    const start = (y * step * image.width + x * step) * channels;
    return image.rgb.subarray(start, start + channels);
  };
  const rgb = new Uint8Array(side * side * channels);
  const bar = edgeColor(width, height, pixelAt);
  for (let start = 0; start < rgb.length; start += channels) rgb.set(bar, start);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rgb.set(pixelAt(x, y), ((top + y) * side + left + x) * channels);
  return { width: side, height: side, rgb };
}

/** The median of the pixels next to the bars: a shape that touches the edge does not change it. */
function edgeColor(width: number, height: number, pixelAt: (x: number, y: number) => Uint8Array): Uint8Array {
  const isWide = width > height;
  const edge = Array.from({ length: Math.max(width, height) }, (_, index) =>
    isWide ? [pixelAt(index, 0), pixelAt(index, height - 1)] : [pixelAt(0, index), pixelAt(width - 1, index)],
  ).flat();
  return Uint8Array.from({ length: channels }, (_, channel) => {
    const levels = Uint8Array.from(edge, (pixel) => pixel[channel] as number).sort();
    return levels[levels.length >> 1] as number;
  });
}
