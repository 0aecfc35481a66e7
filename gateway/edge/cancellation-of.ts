import type { ServerResponse } from 'node:http'
import { cancellationOnDisconnect, type Cancellation } from '../../subgraphs/kernel/cancellation.ts'

/** A read is cancelled when its client closes the connection. A mutation runs to its end, so it has none. */
export const cancellationOf = (kind: string | undefined, res: ServerResponse): Cancellation | undefined =>
  kind === 'query' ? cancellationOnDisconnect(res) : undefined
