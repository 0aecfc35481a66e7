import { titleOfCode } from '../../gateway/edge/titles.ts'
import { isErrorCode, statusOfCode, type ErrorCode } from '../../subgraphs/kernel/errors.ts'
import type { RawResponse, Sent } from './send.ts'

export interface Refused {
  readonly status: number
  readonly code: ErrorCode
  /** Path and code of each wrong input; absent if the error is not about inputs. */
  readonly errors?: readonly { readonly path: string; readonly code: string }[]
}

export const refusedInput = (path: string, code: string): Refused => ({
  status: 400,
  code: code === 'UNKNOWN_FIELD' ? 'UNKNOWN_FIELD' : 'VALIDATION_FAILED',
  errors: [{ path, code }],
})

export const refusedWith = (code: ErrorCode): Refused => ({ status: statusOfCode[code], code })

/** The status, code and wrong inputs of an error response. */
export function refusedBy({ status, body }: RawResponse): unknown {
  const { code, errors } = (body ?? {}) as { code?: string; errors?: { path: string; code: string }[] }
  return {
    status,
    code,
    ...(errors && { errors: errors.map((problem) => ({ path: problem.path, code: problem.code })) }),
  }
}

const inside = /node_modules|\bat \w+ \(|select |insert into|postgres|\.ts\b|graphql-jit|pg_|violates|syntax error at/i

const isFilled = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

/** Deviations of an error response from the documented form; empty if there are none. */
export function flawsOf({ path }: Sent, { status, headers, body, text }: RawResponse): string[] {
  const flaws: string[] = []
  const must = (holds: boolean, what: string): void => void (holds || flaws.push(what))
  must(headers['content-type'] === 'application/problem+json; charset=utf-8', `content type ${headers['content-type']}`)
  must(typeof body === 'object' && body !== null, 'no object')
  if (flaws.length > 0) return flaws
  const { type, title, code, detail, instance, requestId, errors = [] } = body
  must(
    isErrorCode(code) && statusOfCode[code as ErrorCode] === status && body.status === status,
    `status ${status} for ${code}`,
  )
  must(type === `/errors/${String(code).toLowerCase().replaceAll('_', '-')}`, `type ${type}`)
  must(title === titleOfCode[code as ErrorCode], `title ${title}`)
  must(isFilled(detail), 'no detail')
  must(instance === path.split('?', 1)[0], `instance ${instance}`)
  must(/^req_[0-9a-f-]{36}$/.test(requestId) && requestId === headers['x-request-id'], `request id ${requestId}`)
  must(!/^\/v1(?:[/?]|$)/.test(path) || isFilled(headers['api-version']), 'no API-Version')
  must(headers['cache-control'] === 'no-store', `cache-control ${headers['cache-control']}`)
  must(Array.isArray(errors), 'errors is no list')
  for (const problem of Array.isArray(errors) ? errors : []) {
    must(
      typeof problem.path === 'string' && /^[A-Z_]+$/.test(problem.code) && isFilled(problem.message),
      `errors: ${JSON.stringify(problem)}`,
    )
  }
  must(
    !inside.test(String(detail)) &&
      !inside.test(JSON.stringify(errors.map(({ message }: { message: string }) => message))),
    `reveals internals: ${text.slice(0, 300)}`,
  )
  must(text.length < 20_000, `an answer of ${text.length} characters`)
  return flaws
}
