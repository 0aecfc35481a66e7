import { isErrorCode, Refusal, type ErrorCode } from '../errors.ts'
import type { RequestContext } from '../request.ts'
import type { GraphAnswer } from './graph-port.ts'

/** How long one block may take. */
export const deadlineMs = 1500
/** How many blocks are read at the same time. */
const parallelMax = 3
/** In the unit of the limit of clients; the largest block costs less than half of it. */
const costMax = 5000

/** What reads parts of an answer from the graph as its caller. */
export type GraphReading = RequestContext<'graph'>

/** Why a block has no content: it was not read in time, or the code of the refusal. */
export type WarningCode = 'TIMEOUT' | ErrorCode

export interface Warning<B extends string = string> {
  readonly block: B
  readonly code: WarningCode
}

export interface Blocks<R extends Readonly<Record<string, unknown>>> {
  readonly values: { readonly [B in keyof R]: R[B] | null }
  readonly warnings: readonly Warning<keyof R & string>[]
}

type Readers<R> = { readonly [B in keyof R]: () => Promise<R[B]> }

class Late extends Error {}

/** Ends with the reading or at the deadline; what is still running then is cancelled by its own timeout. */
async function inTime<T>(read: () => Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late()), timeoutMs)
  })
  try {
    return await Promise.race([read(), late])
  } finally {
    clearTimeout(timer)
  }
}

function codeOf(error: unknown): WarningCode {
  if (error instanceof Late) return 'TIMEOUT'
  return error instanceof Refusal ? error.code : 'INTERNAL'
}

/** Reads all blocks, three at a time. A block that fails or is late is null, with a warning; it delays the others, but never fails them. */
export async function readBlocks<R extends Readonly<Record<string, unknown>>>(
  { log }: Pick<GraphReading, 'log'>,
  readers: Readers<R>,
  timeoutMs = deadlineMs,
): Promise<Blocks<R>> {
  const names = Object.keys(readers) as (keyof R & string)[]
  const values: Record<string, unknown> = {}
  const codes = new Map<string, WarningCode>()
  const waiting = names.values()
  const work = async (): Promise<void> => {
    for (const name of waiting) {
      try {
        values[name] = await inTime(readers[name], timeoutMs)
      } catch (error) {
        const code = codeOf(error)
        if (code === 'INTERNAL') log.error({ err: error, block: name }, 'A block of an answer could not be read.')
        values[name] = null
        codes.set(name, code)
      }
    }
  }
  await Promise.all(Array.from({ length: parallelMax }, work))
  const warnings = names.flatMap((block) => (codes.has(block) ? [{ block, code: codes.get(block)! }] : []))
  return { values: values as Blocks<R>['values'], warnings }
}

function refusalOf({ message, extensions }: GraphAnswer['errors'][number]): Refusal {
  const code = extensions?.['code']
  return new Refusal(isErrorCode(code) ? code : 'INTERNAL', message, { ...extensions })
}

/** Reads from the whole graph as the caller; every error is thrown, so an answer is whole. */
export async function readGraph<T>(
  { graph, caller, requestId }: GraphReading,
  document: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<T> {
  const answer = await graph.read({ document, variables, costMax }, caller, { requestId, timeoutMs: deadlineMs })
  const [error] = answer.errors
  if (error) throw refusalOf(error)
  return answer.data as T
}
