import type { Role } from '../context.ts'
import { Refusal, type RefusalDetails } from '../errors.ts'
import type { RequestContext } from '../request.ts'
import { holdsScope } from '../scopes.ts'
import { startWithArticle } from './article.ts'

/** An operation that moves a record to another status. */
export interface Move<T> {
  /** The name of the mutation, which is the operationId in REST. */
  readonly operation: string
  /** The roles that may call it; by default all that may change records. */
  readonly roles?: readonly Role[]
  /** The scopes that it requires; by default that of the state machine. */
  readonly scopes?: readonly string[]
  /** Whether it makes this move of this record for this caller; by default always. */
  isPossible?(ctx: RequestContext, record: T): boolean | Promise<boolean>
}

/**
 * The statuses that may follow each status, each with the operations that set it; without one, only the platform sets it: a job, a
 * provider, or a customer on a public page.
 */
export type Transitions<Status extends string, T = never> = Readonly<
  Record<Status, Readonly<Partial<Record<Status, readonly (string | Move<T>)[]>>>>
>

export interface StateMachine<T, Status extends string = string> {
  /** What the record is called in messages. */
  readonly name: string
  /** The scope that its operations require, unless they say otherwise. */
  readonly scope: `WRITE_${string}` | 'SESSION'
  readonly transitions: Transitions<Status, T>
  /** Whether the caller may change this record, where more is needed than to see it. */
  mayChange?(ctx: RequestContext, record: T): boolean
}

/** A status that a record can get, and the operation that sets it. */
export interface NextState {
  readonly state: string
  readonly operation: string
}

interface Stateful {
  readonly status: string
  readonly deletedAt?: string | null
}

function mayCall({ caller }: RequestContext, { roles, scopes }: Move<never>, scope: string): boolean {
  // The platform acts for somebody without an account, who can call none of these operations.
  if (caller.kind === 'SYSTEM') return false
  const isRight = roles ? roles.includes(caller.role) : caller.role !== 'READ_ONLY'
  return isRight && (scopes ?? [scope]).every((one) => holdsScope(caller, one))
}

/** What this caller can make of the record as it is, in the order of the declaration. */
export async function nextStates<T extends Stateful>(
  ctx: RequestContext,
  machine: StateMachine<T>,
  record: T,
): Promise<NextState[]> {
  if (record.deletedAt || machine.mayChange?.(ctx, record) === false) return []
  const next: NextState[] = []
  for (const [state, moves = []] of Object.entries(machine.transitions[record.status] ?? {}))
    for (const declared of moves) {
      const move: Move<T> = typeof declared === 'string' ? { operation: declared } : declared
      if (!mayCall(ctx, move as Move<never>, machine.scope)) continue
      if ((await move.isPossible?.(ctx, record)) ?? true) next.push({ state, operation: move.operation })
    }
  return next
}

const detailsOf = (operations: readonly NextState[]): RefusalDetails => ({
  allowed: [...new Set(operations.map(({ state }) => state))],
  operations,
})

/** The refusal of what the status of a record does not permit, with the statuses that the caller can set instead. */
export async function refusalInState<T extends Stateful>(
  ctx: RequestContext,
  machine: StateMachine<T>,
  record: T,
  message: string,
  details: RefusalDetails = {},
): Promise<Refusal> {
  return new Refusal('INVALID_STATE', message, { ...detailsOf(await nextStates(ctx, machine, record)), ...details })
}

/** The refusal of what is not possible at the time, where no status of a record decides. */
export const refusalInSituation = (message: string, details: RefusalDetails = {}): Refusal =>
  new Refusal('INVALID_STATE', message, { ...detailsOf([]), ...details })

/** The refusal to create a record in a status that only other operations set. */
export const refusalOfFirstState = (message: string, states: readonly string[], operation: string): Refusal =>
  new Refusal('INVALID_STATE', message, detailsOf(states.map((state) => ({ state, operation }))))

/** Whether the status may follow, by this operation if one is named. */
function mayFollow<T extends Stateful>(
  { transitions }: StateMachine<T>,
  { status }: T,
  to: string,
  operation: string | undefined,
): boolean {
  const moves = transitions[status]?.[to]
  if (!moves || operation === undefined) return moves !== undefined
  return moves.some((move) => (typeof move === 'string' ? move : move.operation) === operation)
}

/**
 * Throws INVALID_STATE with the statuses that the caller can set, unless `to` may follow, by this operation if it is named. The same status is
 * always allowed.
 */
export async function requireAllowedTransition<T extends Stateful>(
  ctx: RequestContext,
  machine: StateMachine<T>,
  record: T,
  to: string,
  operation?: string,
): Promise<void> {
  const { status } = record
  if (status === to || mayFollow(machine, record, to, operation)) return
  const next = detailsOf(await nextStates(ctx, machine, record))
  const allowed = next['allowed'] as readonly string[]
  const rule = allowed.length > 0 ? `can change to ${allowed.join(', ')}, not to ${to}` : `cannot change to ${to}`
  throw new Refusal('INVALID_STATE', `${startWithArticle(machine.name)} with status ${status} ${rule}.`, next)
}

/** As `requireAllowedTransition`, but the same status is refused too, unless it may follow itself, so that a second request is noticed. */
export async function requireNewStatus<T extends Stateful>(
  ctx: RequestContext,
  machine: StateMachine<T>,
  record: T,
  to: string,
  operation?: string,
): Promise<void> {
  if (record.status === to && !machine.transitions[to]?.[to])
    throw await refusalInState(ctx, machine, record, `The ${machine.name} has the status ${to} already.`)
  await requireAllowedTransition(ctx, machine, record, to, operation)
}
