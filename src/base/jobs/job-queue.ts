// The jobs that wait for a process or thread. The groups take turns, so that a client that sends many jobs, or slow jobs,
// delays its own jobs only.

interface JobQueue<Task> {
  readonly length: number;
  /** Returns the task that lost its place if the queue is full: the newest of the largest group, possibly `task`. */
  push(group: string, task: Task): Task | undefined;
  /** Takes the next task of the first group that is allowed. */
  take(isAllowed: (group: string) => boolean): Task | undefined;
  hasAllowed(isAllowed: (group: string) => boolean): boolean;
  remove(group: string, task: Task): boolean;
  /** Removes and returns all tasks. */
  clear(): Task[];
}

export function createJobQueue<Task>(maxLength: number): JobQueue<Task> {
  // The tasks of each group. The groups are in the order of their turns.
  const groups = new Map<string, Task[]>();
  let length = 0;

  function store(group: string, tasks: Task[]): void {
    if (tasks.length === 0) groups.delete(group);
    else groups.set(group, tasks);
  }

  function dropNewest(): Task | undefined {
    let largest: [string, Task[]] | undefined;
    for (const entry of groups) if (entry[1].length > (largest?.[1].length ?? 0)) largest = entry;
    if (largest === undefined) return undefined;
    const dropped = largest[1].pop();
    length--;
    store(...largest);
    return dropped;
  }

  return {
    get length() {
      return length;
    },
    push(group, task) {
      const tasks = groups.get(group) ?? [];
      tasks.push(task);
      groups.set(group, tasks);
      length++;
      return length > maxLength ? dropNewest() : undefined;
    },
    take(isAllowed) {
      for (const [group, tasks] of groups) {
        if (!isAllowed(group)) continue;
        const task = tasks.shift();
        length--;
        // Behind all other groups.
        groups.delete(group);
        store(group, tasks);
        return task;
      }
      return undefined;
    },
    hasAllowed(isAllowed) {
      for (const group of groups.keys()) if (isAllowed(group)) return true;
      return false;
    },
    remove(group, task) {
      const tasks = groups.get(group) ?? [];
      const index = tasks.indexOf(task);
      if (index === -1) return false;
      tasks.splice(index, 1);
      length--;
      store(group, tasks);
      return true;
    },
    clear() {
      const tasks = [...groups.values()].flat();
      groups.clear();
      length = 0;
      return tasks;
    },
  };
}
