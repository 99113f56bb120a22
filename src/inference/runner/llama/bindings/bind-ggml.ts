// ggml's part of the C API: backends, devices, threads.

import koffi, { type LibraryHandle } from 'koffi';
import { bindFunction } from './bind-function.ts';
import type { Address, DevicePointer } from './pointers.ts';
import type { ThreadpoolParams } from './structs.ts';

export function bindGgml(base: LibraryHandle, ggml: LibraryHandle) {
  const procAddress = bindFunction<(registry: Address, name: string) => Address | null>(
    base,
    'void *ggml_backend_reg_get_proc_address(void *reg, const char *name)',
  );
  const registryByName = bindFunction<(name: string) => Address | null>(
    ggml,
    'void *ggml_backend_reg_by_name(const char *name)',
  );
  const threadpoolNew = koffi.proto('void *ggml_threadpool_new(ggml_threadpool_params *params)');
  return {
    loadBackends: bindFunction<(folder: string) => void>(ggml, 'void ggml_backend_load_all_from_path(const char *dir)'),
    /** Null if the library is not a backend for this machine. */
    loadBackend: bindFunction<(path: string) => Address | null>(ggml, 'void *ggml_backend_load(const char *path)'),
    ...bindDevices(base, ggml),
    /** The CPU backend is loaded at run time, so its functions are found by name. */
    threadpoolNew(params: ThreadpoolParams): Address | null {
      const registry = registryByName('CPU');
      const address = registry === null ? null : procAddress(registry, 'ggml_threadpool_new');
      return address === null ? null : (koffi.call(address, threadpoolNew, params) as Address | null);
    },
  };
}

export function bindDevices(base: LibraryHandle, ggml: LibraryHandle) {
  return {
    deviceCount: bindFunction<() => number>(ggml, 'size_t ggml_backend_dev_count()'),
    deviceGet: bindFunction<(index: number) => DevicePointer>(ggml, 'void *ggml_backend_dev_get(size_t index)'),
    deviceName: bindFunction<(device: DevicePointer) => string>(
      base,
      'const char *ggml_backend_dev_name(void *device)',
    ),
    deviceDescription: bindFunction<(device: DevicePointer) => string>(
      base,
      'const char *ggml_backend_dev_description(void *device)',
    ),
    /** Where the device keeps weights. */
    deviceBufferType: bindFunction<(device: DevicePointer) => Address>(
      base,
      'void *ggml_backend_dev_buffer_type(void *device)',
    ),
    /** 0 CPU, 1 GPU, 2 integrated GPU, 3 accelerator. */
    deviceType: bindFunction<(device: DevicePointer) => number>(base, 'int ggml_backend_dev_type(void *device)'),
    deviceMemory: bindFunction<(device: DevicePointer, free: [number], total: [number]) => void>(
      base,
      'void ggml_backend_dev_memory(void *device, _Out_ size_t *free, _Out_ size_t *total)',
    ),
  };
}
