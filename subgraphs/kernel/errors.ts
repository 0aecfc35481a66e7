import { GraphQLError } from 'graphql'

/** Every code an answer can carry, and its HTTP status. The table is closed: a code that is not here does not compile. */
export const statusOfCode = {
  // Clients of automatic persisted queries send the document after this code; they expect HTTP 200.
  PERSISTED_QUERY_NOT_FOUND: 200,
  VALIDATION_FAILED: 400,
  MALFORMED_REQUEST: 400,
  INVALID_JSON: 400,
  UNKNOWN_FIELD: 400,
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  GRAPHQL_LIMIT_EXCEEDED: 400,
  QUERY_TOO_EXPENSIVE: 400,
  ANSWER_TOO_LARGE: 400,
  ONE_MUTATION_PER_REQUEST: 400,
  INTROSPECTION_DISABLED: 400,
  OPERATION_RESOLUTION_FAILURE: 400,
  BAD_USER_INPUT: 400,
  COMPILE_ERROR: 400,
  CREDENTIALS_CONFLICT: 400,
  HISTORY_NOT_KEPT: 400,
  DRY_RUN_NOT_SUPPORTED: 400,
  UNAUTHENTICATED: 401,
  TOKEN_EXPIRED: 401,
  API_KEY_INVALID: 401,
  API_KEY_EXPIRED: 401,
  API_KEY_OWNER_INACTIVE: 401,
  API_KEY_OWNER_NOT_IN_ORG: 401,
  ORGANIZATION_SUSPENDED: 401,
  ENTITLEMENT_REQUIRED: 402,
  PERMISSION_DENIED: 403,
  EMAIL_NOT_VERIFIED: 403,
  STORAGE_LIMIT_EXCEEDED: 403,
  FIELD_NOT_WRITABLE: 403,
  FIELD_NOT_READABLE: 403,
  CSRF_TOKEN_INVALID: 403,
  API_KEY_SCOPE_BLOCKED: 403,
  API_KEY_SCOPE_INSUFFICIENT: 403,
  OAUTH_SCOPE_INSUFFICIENT: 403,
  OAUTH_TOKEN_REQUIRED: 403,
  API_KEY_IP_NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  REQUEST_TIMEOUT: 408,
  IDEMPOTENCY_KEY_REUSED: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  UNIQUE_VIOLATION: 409,
  DUPLICATE_DETECTED: 409,
  INVALID_STATE: 409,
  TOO_SOON: 409,
  CONVERSATION_BUSY: 409,
  VERSION_CONFLICT: 409,
  HAS_DEPENDENTS: 409,
  UNDO_CONFLICT: 409,
  LIMIT_REACHED: 409,
  AMBIGUOUS_MATCH: 409,
  CREDENTIAL_INACTIVE: 409,
  CREDENTIAL_SECRET_MISSING: 409,
  ENDPOINT_SUNSET: 410,
  CURSOR_EXPIRED: 410,
  SYNC_RESET: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  EXPECTATION_FAILED: 417,
  DEPTH_EXCEEDED: 422,
  HOOK_RECURSION: 422,
  VALIDATION_RULE_FAILED: 422,
  HOOK_REJECTED: 422,
  API_KEY_RATE_LIMITED: 429,
  OAUTH_RATE_LIMITED: 429,
  API_KEY_AUTH_THROTTLED: 429,
  SIGN_IN_THROTTLED: 429,
  MAIL_RATE_LIMITED: 429,
  MODEL_RATE_LIMITED: 429,
  TOKEN_LIMIT_REACHED: 429,
  STORAGE_RATE_LIMITED: 429,
  IP_RATE_LIMITED: 429,
  STREAM_LIMIT_REACHED: 429,
  CONNECTION_LIMIT_REACHED: 429,
  UNREAD_LIMIT_REACHED: 429,
  CONCURRENCY_LIMIT_REACHED: 429,
  FUNCTION_THROTTLED: 429,
  AUTOMATION_RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  MODEL_FAILED: 502,
  UNAVAILABLE: 503,
  HOOK_UNAVAILABLE: 503,
} as const satisfies Record<string, number>

export type ErrorCode = keyof typeof statusOfCode

/** `type` of a problem (RFC 9457): the path of the page that explains the code. */
export const errorTypeOf = (code: ErrorCode): string => `/errors/${code.toLowerCase().replaceAll('_', '-')}`

/** One problem of one input: its path (dotted path in the body, or the name of the parameter) and the reason. */
export interface FieldProblem {
  path: string
  code: string
  message: string
  [detail: string]: unknown
}

export interface RefusalDetails {
  errors?: FieldProblem[]
  /** Seconds after which the same request may succeed; sent as Retry-After. */
  retryAfter?: number
  [detail: string]: unknown
}

/**
 * An error that the caller can act on. Every other error that is thrown is a defect; its answer is `INTERNAL` with the request
 * id and nothing else.
 */
export class Refusal extends GraphQLError {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, details: RefusalDetails = {}) {
    super(message, { extensions: { code, ...details } })
    this.name = 'Refusal'
    this.code = code
  }

  get status(): number {
    return statusOfCode[this.code]
  }
}

/** The only message that a defect shows to the caller. The request id leads to the details in the log. */
export const defectMessage = 'Something went wrong on our side.'

export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(statusOfCode, code)

/** Maximum number of problems listed in one refusal. */
const problemsMax = 50

/** A `VALIDATION_FAILED` refusal of one or more inputs, each named by its path. */
export function invalid(...errors: FieldProblem[]): Refusal {
  const [first] = errors
  const detail = errors.length === 1 && first ? first.message : `${errors.length} inputs are not valid.`
  return new Refusal('VALIDATION_FAILED', detail, { errors: errors.slice(0, problemsMax) })
}

/** As `invalid`; the code is UNKNOWN_FIELD if one of the fields does not exist. */
export function invalidFields(...errors: FieldProblem[]): Refusal {
  const refusal = invalid(...errors)
  const isUnknown = errors.some(({ code }) => code === 'UNKNOWN_FIELD')
  return isUnknown ? new Refusal('UNKNOWN_FIELD', refusal.message, { errors: errors.slice(0, problemsMax) }) : refusal
}

export const notFound = (what: string): Refusal => new Refusal('NOT_FOUND', `${what} was not found.`)
