import { Refusal } from '../../kernel/errors.ts'
import { TemplateProblem } from '../../kernel/template/template-problem.ts'
import { ElementFailure } from '../flow/elements/element-type.ts'

/** Why an element has failed. */
export interface Failure {
  readonly code: string
  readonly message: string
}

const messageMax = 1_000

/** Refusals that the same work may not get a moment later: nothing is stored, and the request or the turn is repeated. */
const isPassing = ({ code, status }: Refusal): boolean =>
  status >= 500 || status === 429 || code === 'IDEMPOTENCY_IN_PROGRESS' || code === 'DRY_RUN_NOT_SUPPORTED'

/** Why an element has failed; throws what is no failure of the element. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ElementFailure) return { code: error.code, message: error.message }
  if (error instanceof TemplateProblem)
    return { code: error.code, message: `A template of the element ${error.message}` }
  if (!(error instanceof Refusal) || isPassing(error)) throw error
  const problems = error.extensions['errors'] as readonly { readonly message: string }[] | undefined
  const reasons = problems?.map(({ message }) => message).join(' ') ?? ''
  return { code: error.code, message: (reasons || error.message).slice(0, messageMax) }
}
