import { expect } from 'vitest'
import type { Change, Requests, ValidRequest } from '../requests/requests.ts'
import { makeRoom } from '../requests/outreach.ts'
import { flawsOf, refusedBy, type Refused } from '../requests/problem.ts'
import { inParallel, type RawResponse } from '../requests/send.ts'

/** One bad input and the expected refusal. */
export interface HostileRequest {
  readonly what: string
  readonly change: Change
  readonly refused: Refused
}

/** The path `path.*` expects an error anywhere below this path. */
function isAsExpected(actual: unknown, { errors, ...rest }: Refused): boolean {
  const { errors: found, ...outcome } = actual as Refused
  if (JSON.stringify(outcome) !== JSON.stringify(rest)) return false
  if (!errors) return true
  return (
    found?.length === errors.length &&
    errors.every(({ path, code }, index) => {
      const at = found[index]!
      return at.code === code && (path.endsWith('*') ? at.path.startsWith(path.slice(0, -1)) : at.path === path)
    })
  )
}

const isDocumented = ({ contract }: Requests, { operation }: ValidRequest, { status }: RawResponse): boolean =>
  Object.hasOwn(contract.document.paths[operation.path]![operation.method]!.responses, String(status))

/**
 * Sends every bad input. Each must be refused with the exact code and path in the documented form, and all together must change
 * nothing.
 */
export async function expectRefused(
  requests: Requests,
  request: ValidRequest,
  hostile: readonly HostileRequest[],
): Promise<void> {
  const before = await requests.platform.fingerprint()
  const found = await inParallel(hostile, async ({ what, change, refused }) => {
    const answer = await requests.send(request, change)
    const actual = refusedBy(answer)
    const flaws = answer.status < 400 ? ['accepted'] : flawsOf(requests.sent(request, change), answer)
    if (answer.status >= 400 && !isDocumented(requests, request, answer))
      flaws.push(`status ${answer.status} is not documented`)
    if (!isAsExpected(actual, refused)) flaws.push(`${JSON.stringify(actual)} instead of ${JSON.stringify(refused)}`)
    return flaws.length === 0 ? [] : [`${what}: ${flaws.join(', ')}`]
  })
  expect(found.flat()).toEqual([])
  expect(await requests.platform.fingerprint()).toBe(before)
}

/** Sends every input. Each must be accepted. */
export async function expectAccepted(
  requests: Requests,
  request: ValidRequest,
  accepted: readonly {
    readonly what: string
    readonly change: Change
    readonly read?: (body: never) => unknown
    readonly expected?: unknown
  }[],
): Promise<void> {
  const found: string[] = []
  for (const { what, change, read, expected } of accepted) {
    await makeRoom[request.operation.documentId]?.(requests, request.path)
    const answer = await requests.send(request, change)
    if (answer.status !== request.operation.success.status)
      found.push(`${what}: ${answer.status} ${answer.text.slice(0, 300)}`)
    else if (read && JSON.stringify(read(answer.body as never)) !== JSON.stringify(expected)) {
      found.push(`${what}: answered ${JSON.stringify(read(answer.body as never)).slice(0, 100)}`)
    }
  }
  expect(found).toEqual([])
}
