import type { OperationContext } from '../context.ts'
import { isErrorCode, Refusal, statusOfCode } from '../errors.ts'
import { refusalOfSize } from '../json/answer-size.ts'
import { callsWaiting, type ExternalCalls } from '../outbound/external-calls.ts'
import type { SubgraphResult } from './endpoint.ts'

/** Thrown to roll back the transaction and still return the answer. */
export class RolledBack extends Error {
  constructor(readonly answer: SubgraphResult) {
    super('rolled back')
  }
}

/**
 * Throws for an answer whose changes must not be committed: to a transaction that waits for calls, a defect, or one that is too large; of an atomic
 * mutation, also for every error.
 */
export function rollBackUnlessWhole(
  answer: SubgraphResult,
  externalCalls: ExternalCalls,
  { isAtomic = false }: Pick<OperationContext, 'isAtomic'>,
): void {
  if (externalCalls.isWaiting) throw new RolledBack({ data: null, errors: [callsWaiting().toJSON()] })
  const tooLarge = refusalOfSize(answer)
  if (tooLarge) throw new RolledBack({ data: null, errors: [tooLarge.toJSON()] })
  if (isDefect(answer) || isAnswerTooLarge(answer) || (isAtomic && answer.errors?.length))
    throw new RolledBack({ data: null, ...(answer.errors && { errors: answer.errors }) })
}

export function refused(error: unknown): SubgraphResult {
  if (error instanceof Refusal) return { data: null, errors: [error.toJSON()] }
  throw error
}

export function statuses({ errors = [] }: SubgraphResult): number[] {
  return errors.map(({ extensions }) => (isErrorCode(extensions?.code) ? statusOfCode[extensions.code] : 500))
}

/** Whether the run failed for technical reasons. A read that was too expensive counts, because its timeout has aborted the transaction. */
export const isDefect = (answer: SubgraphResult): boolean =>
  statuses(answer).some((status) => status >= 500) ||
  (answer.errors ?? []).some(({ extensions }) => extensions?.code === 'QUERY_TOO_EXPENSIVE')

/** Whether a read exceeded the size limit, which closes the connection and therefore aborts the transaction. */
const isAnswerTooLarge = ({ errors = [] }: SubgraphResult): boolean =>
  errors.some(({ extensions }) => extensions?.['code'] === 'ANSWER_TOO_LARGE')
