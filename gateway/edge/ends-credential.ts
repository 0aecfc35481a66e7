import { Refusal, type ErrorCode } from '../../subgraphs/kernel/errors.ts'

// These say nothing about the credential.
const transient: ReadonlySet<ErrorCode> = new Set(['IP_RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL'])

/** Whether what was thrown while a credential was judged says that it is not good any more. */
export const endsCredential = (thrown: unknown): thrown is Refusal =>
  thrown instanceof Refusal && !transient.has(thrown.code)
