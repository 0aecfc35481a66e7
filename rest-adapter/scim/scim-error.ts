import type { IncomingMessage, ServerResponse } from 'node:http'
import { setCode } from '../../gateway/edge/exchange.ts'
import { problemOf } from '../../gateway/edge/problem.ts'
import type { FieldProblem } from '../../subgraphs/kernel/errors.ts'

export const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error'
export const mediaType = 'application/scim+json; charset=utf-8'

/** The error types of RFC 7644, section 3.12. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'

/** A refusal of a request that violates the SCIM protocol. */
export class ScimRefusal extends Error {
  constructor(
    readonly scimType: ScimType,
    message: string,
    readonly status = 400,
  ) {
    super(message)
  }
}

function scimTypeOf(code: string, errors: readonly FieldProblem[]): ScimType | null {
  if (errors.some((error) => error.code === 'NOT_MUTABLE')) return 'mutability'
  switch (code) {
    case 'UNIQUE_VIOLATION':
      return 'uniqueness'
    case 'INVALID_JSON':
      return 'invalidSyntax'
    case 'VALIDATION_FAILED':
    case 'UNKNOWN_FIELD':
      return 'invalidValue'
    default:
      return null
  }
}

/** The SCIM error response for a thrown value. `code` is our extension of RFC 7644. */
function answerTo(thrown: unknown, path: string, requestId: string) {
  if (thrown instanceof ScimRefusal) {
    return {
      status: thrown.status,
      code: 'VALIDATION_FAILED',
      detail: thrown.message,
      scimType: thrown.scimType,
      headers: {},
    }
  }
  const { problem, headers } = problemOf(thrown, path, requestId)
  const { code, detail, errors = [] } = problem
  const scimType = scimTypeOf(code, errors)
  const isImmutable = scimType === 'mutability'
  return { status: isImmutable ? 400 : problem.status, code, detail: errors[0]?.message ?? detail, scimType, headers }
}

export function writeScimError(thrown: unknown, req: IncomingMessage, res: ServerResponse, requestId: string): void {
  const { status, code, detail, scimType, headers } = answerTo(thrown, req.url ?? '/', requestId)
  setCode(res, code)
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  const body = {
    schemas: [errorSchema],
    status: String(status),
    ...(scimType && { scimType }),
    detail,
    code,
    requestId,
  }
  res.statusCode = status
  res.setHeader('Content-Type', mediaType)
  res.setHeader('Cache-Control', 'no-store')
  if (status === 401) res.setHeader('WWW-Authenticate', 'Bearer')
  res.end(JSON.stringify(body))
}
