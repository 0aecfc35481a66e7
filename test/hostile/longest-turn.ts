/**
 * The longest turn of the event loop while `work` runs, in milliseconds of CPU of this thread. During it no other request is answered. Unlike a
 * time, it does not depend on what else runs on the machine.
 */
export async function longestTurnDuring(work: () => Promise<unknown>): Promise<number> {
  let longestUs = 0
  let isOver = false
  let before = process.threadCpuUsage()
  const next = (): void => {
    const { user, system } = process.threadCpuUsage(before)
    longestUs = Math.max(longestUs, user + system)
    before = process.threadCpuUsage()
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  await work().finally(() => (isOver = true))
  return longestUs / 1000
}
