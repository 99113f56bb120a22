// What a server of a benchmark needs from the environment to find a GPU, because tests start servers without it.

const names = ['HEARTH_BACKENDS', 'LD_LIBRARY_PATH'];

export const gpuEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  names.flatMap((name) => {
    const value = process.env[name];
    return value ? [[name, value]] : [];
  }),
);
