// Numbers that llama.cpp's converter writes into every file.

/** The types of a file. */
export const fileTypes = { F32: 0, F16: 1, BF16: 32, MXFP4: 38 } as const;
/** The version of the quantized formats. */
export const quantizationVersion = 2;
