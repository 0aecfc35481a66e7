import { threadTask } from './thread-task.ts'

/** Tasks that block, end or overload the thread that runs them. */
export const echo = (input: string): string => input
export const later = async (input: string): Promise<string> => Promise.resolve(input)
export const sleep = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
export const burn = (ms: number): number => {
  const { user, system } = process.threadCpuUsage()
  for (let now = process.threadCpuUsage(); now.user + now.system - user - system < ms * 1000;)
    now = process.threadCpuUsage()
  return ms
}
export const spin = (): never => {
  for (;;);
}
export const exit = (): never => process.exit(3)
export const allocate = (): never => {
  const kept: number[][] = []
  for (;;) kept.push(Array.from({ length: 100_000 }, Math.random))
}
export const fail = (message: string): never => {
  throw new Error(message)
}
export const environment = (): string[] => Object.keys(process.env)

const task = <Task extends (input: never) => unknown>(name: string) =>
  threadTask<Task>(import.meta.url, './work-pool.fixture', name)

export const testTasks = {
  echo: task<typeof echo>('echo'),
  later: task<typeof later>('later'),
  sleep: task<typeof sleep>('sleep'),
  burn: task<typeof burn>('burn'),
  spin: task<typeof spin>('spin'),
  exit: task<typeof exit>('exit'),
  allocate: task<typeof allocate>('allocate'),
  fail: task<typeof fail>('fail'),
  environment: task<typeof environment>('environment'),
}
