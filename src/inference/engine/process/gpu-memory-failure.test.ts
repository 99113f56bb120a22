import { expect, test } from 'vitest';
import { isGpuMemoryFailure } from './gpu-memory-failure.ts';

test.each([
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4403.49 MiB on device 0: cudaMalloc failed: out of memory',
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 12.00 MiB on device 1: hipMalloc failed: out of memory',
  'CUDA error: out of memory',
  'ROCm: hipMalloc failed: out of memory',
  'alloc_tensor_range: failed to allocate CUDA0 buffer of size 4617330688',
  'ggml_gallocr_reserve_n_impl: failed to allocate Vulkan1 buffer of size 307511296',
  'llama_model_load: error loading model: unable to allocate ROCm0 buffer',
  'ggml_vulkan: Device memory allocation of size 1073741824 failed.',
  'ggml_vulkan: vk::Device::allocateMemory: ErrorOutOfDeviceMemory',
  "ggml_backend_sycl_buffer_type_alloc_buffer: can't allocate 1024 Bytes of memory on device",
])('%s', (line) => {
  expect(isGpuMemoryFailure(line)).toBe(true);
});

test.each([
  'alloc_tensor_range: failed to allocate CPU buffer of size 4617330688',
  'llama_model_load: error loading model: unable to allocate CPU_REPACK buffer',
  'ggml_cuda_host_malloc: failed to allocate 512.00 MiB of pinned memory: out of memory',
  'WARNING: failed to allocate 64.00 MB of pinned memory',
  'CUDA error: the provided PTX was compiled with an unsupported toolchain',
  'error: out of memory',
  `unable to allocate ${'x'.repeat(2000)}0 buffer`,
])('not: %s', (line) => {
  expect(isGpuMemoryFailure(line)).toBe(false);
});
