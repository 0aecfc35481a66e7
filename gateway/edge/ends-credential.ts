import { Refusal, type ErrorCode } from '../../subgraphs/kernel/errors.ts'

// These codes do not mean that the credential is invalid.
const transient: ReadonlySet<ErrorCode> = new Set(['IP_RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL'])

/** Whether this error of a credential check means that the credential is no longer valid. */
export const endsCredential = (thrown: unknown): thrown is Refusal =>
  thrown instanceof Refusal && !transient.has(thrown.code)
