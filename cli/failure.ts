/** What the program ends with, for scripts. */
export const exitCodes = { done: 0, refused: 1, usage: 2, credential: 3, unreachable: 4 } as const
export type Outcome = keyof typeof exitCodes

/** One problem of one value, as the API names it. */
export interface FieldProblem {
  readonly path: string
  readonly code: string
  readonly message: string
}

/** Why a command has ended without what was asked for. */
export class Failure extends Error {
  readonly outcome: Exclude<Outcome, 'done'>
  readonly code: string
  readonly errors: readonly FieldProblem[]
  readonly requestId: string | null

  constructor(
    outcome: Exclude<Outcome, 'done'>,
    code: string,
    message: string,
    { errors = [], requestId = null }: { errors?: readonly FieldProblem[]; requestId?: string | null } = {},
  ) {
    super(message)
    this.name = 'Failure'
    this.outcome = outcome
    this.code = code
    this.errors = errors
    this.requestId = requestId
  }
}

export const usageFailure = (message: string): Failure => new Failure('usage', 'USAGE', message)
export const refusedFailure = (code: string, message: string): Failure => new Failure('refused', code, message)

/** The command has shown why by itself. */
export class ShownFailure extends Failure {}
