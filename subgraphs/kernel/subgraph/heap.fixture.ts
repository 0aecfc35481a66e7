import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes of the heap that are still referenced after a garbage collection. */
export function heldBytes(): number {
  collectGarbage()
  collectGarbage()
  return process.memoryUsage().heapUsed
}
