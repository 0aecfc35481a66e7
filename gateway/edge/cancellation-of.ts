import type { ServerResponse } from 'node:http'
import { Cancellation } from '../../subgraphs/kernel/cancellation.ts'

/** A read is cancelled when its client closes the connection. A mutation runs to its end, so it has none. */
export function cancellationOf(kind: string | undefined, res: ServerResponse): Cancellation | undefined {
  if (kind !== 'query') return undefined
  const cancellation = new Cancellation()
  if (res.destroyed) cancellation.cancel()
  else
    res.once('close', () => {
      if (!res.writableFinished) cancellation.cancel()
    })
  return cancellation
}
