import { Refusal } from './errors.ts'

/**
 * The refusal of work that got no turn. It is `UNAVAILABLE`, so that the platform's own callers repeat their work. `isOwnLoad`: what waits
 * is the caller's own, while others are served; clients then get 429 (`asClientsSee`).
 */
export const noTurn = (what: 'requests' | 'tasks', retryAfter: number, isOwnLoad: boolean): Refusal =>
  new Refusal('UNAVAILABLE', `Too many ${isOwnLoad ? 'of your ' : ''}${what} are waiting; retry in ${retryAfter} s.`, {
    retryAfter,
    ...(isOwnLoad && { isOwnLoad }),
  })

type Extensions = Readonly<Record<string, unknown>>

/** The extensions of an error as a client gets them: its own load is a limit of its own and not an outage of the platform. */
export function asClientsSee<Given extends Extensions | undefined>(extensions: Given): Given | Extensions {
  if (extensions?.['isOwnLoad'] !== true) return extensions
  const { isOwnLoad: _isOwnLoad, ...others } = extensions
  return { ...others, code: 'CONCURRENCY_LIMIT_REACHED' }
}
