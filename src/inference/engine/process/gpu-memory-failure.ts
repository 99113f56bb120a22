// Recognizes in llama.cpp's log that the memory of a GPU did not suffice. The texts are those of ggml's backends.

const failures = [
  // CUDA and ROCm, in an allocation and in a decode.
  /(?:cuda|hip)\w* (?:failed|error): out of memory/i,
  // Vulkan.
  /\bdevice memory allocation of size \d+ failed/i,
  /\berroroutofdevicememory\b/i,
  // SYCL.
  /can't allocate \d+ bytes? of memory on device/i,
  // llama.cpp and ggml, with the name of the buffer.
  /(?:unable|failed) to allocate (?!cpu)[a-z]+\d\w* buffer/i,
];
// Lines that are longer come from a file, not from llama.cpp.
const maxLine = 1000;

export function isGpuMemoryFailure(line: string): boolean {
  return line.length <= maxLine && failures.some((failure) => failure.test(line));
}
