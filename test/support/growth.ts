// Measures how the time of some work grows with the size of its input, without asserting a time.

export interface Growth<Input> {
  readonly make: (size: number) => Input;
  readonly work: (input: Input) => unknown;
  readonly size: number;
}

const factor = 16;
const repetitions = 3;

/** Linear work grows 16 times and quadratic work 256 times. Caches and garbage collection can add a few times. */
export const maxLinearGrowth = 80;

/** The time for 16 times the size, divided by the time for the size. The shortest of several runs counts. */
export function growthOf<Input>({ make, work, size }: Growth<Input>): number {
  const small = make(size);
  const large = make(factor * size);
  work(small);
  return shortest(() => work(large)) / shortest(() => work(small));
}

// The kernel may count processor time in steps of a millisecond.
const leastTimeMicroseconds = 10_000;

// Processor time: other processes of a busy machine do not count. Short work is repeated until it can be measured.
function shortest(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < repetitions; count++) {
    const start = process.cpuUsage();
    let time = 0;
    let times = 0;
    while (time < leastTimeMicroseconds) {
      work();
      times++;
      const { user, system } = process.cpuUsage(start);
      time = user + system;
    }
    least = Math.min(least, time / times);
  }
  return least;
}
