import { serveTasks } from './serve-tasks.ts'

/** Tasks that block, end or overload the thread that runs them. */
const tasks = {
  echo: (input: string) => input,
  sleep: (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  spin: () => {
    for (;;);
  },
  exit: () => process.exit(3),
  allocate: () => {
    const kept: number[][] = []
    for (;;) kept.push(Array.from({ length: 100_000 }, Math.random))
  },
  fail: (message: string) => {
    throw new Error(message)
  },
  environment: () => Object.keys(process.env),
}
export type TestTasks = typeof tasks

serveTasks(tasks)
