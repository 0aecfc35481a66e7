import { isErrorCode, Refusal, statusOfCode, type ErrorCode } from '../../kernel/errors.ts'
import type { GraphAnswer } from '../../kernel/graph-port/graph-port.ts'
import { storableJson } from '../../kernel/json/storable-json.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireRole } from '../../kernel/require.ts'
import { statusOf, type ProposalRow } from './stored.ts'

export type Confirming = RequestContext<'graph' | 'tenants'>

const messageMax = 500

export const requireWriter = (ctx: RequestContext): void => requireRole(ctx, 'OWNER', 'ADMIN', 'MANAGER', 'MEMBER')

export function requireOpen(row: ProposalRow, now: Date): ProposalRow {
  const status = statusOf(row, now)
  if (status !== 'PENDING') throw refusalInSituation(`A proposal that is ${status} cannot be confirmed or rejected.`)
  return row
}

/** What became of a proposal. */
export interface Outcome {
  readonly status: 'CONFIRMED' | 'STALE' | 'FAILED'
  readonly error: { readonly code: string; readonly message: string } | null
  readonly output?: unknown
}

export const outcomeOfRefusal = ({ code, message }: Refusal): Outcome => ({
  status: code === 'VERSION_CONFLICT' ? 'STALE' : 'FAILED',
  error: { code, message },
})

/** A repetition may succeed after it. */
export const isPassing = ({ code }: Refusal): boolean =>
  statusOfCode[code] >= 500 || statusOfCode[code] === 429 || code === 'IDEMPOTENCY_IN_PROGRESS'

/** The refusal of a mutation; null if it was performed. */
export function refusalOf({ errors: [error] }: GraphAnswer): Refusal | null {
  if (!error) return null
  const given = error.extensions?.['code']
  const code: ErrorCode = isErrorCode(given) ? given : 'VALIDATION_FAILED'
  return new Refusal(code, error.message, { ...error.extensions })
}

export const asAnswer = (thrown: unknown): GraphAnswer => {
  if (!(thrown instanceof Refusal)) throw thrown
  return { data: null, errors: [{ message: thrown.message, extensions: { ...thrown.extensions, code: thrown.code } }] }
}

/** The mutation is performed as the user, with one idempotency key for all confirmations. */
export const executorOf = ({ caller }: Confirming, { id }: ProposalRow) => ({
  ...caller,
  credentialId: `proposal:${id}`,
})

/** From now on the proposal does not expire, because its mutation may have been performed. */
export async function beginProposal({ caller, clock, db }: Confirming, { id }: ProposalRow): Promise<void> {
  await db.query(
    `update assistant.proposal set begun_at = coalesce(begun_at, $3) where organization_id = $1 and id = $2 and status = 'PENDING'`,
    [caller.organizationId, id, clock.now().toISOString()],
    'WRITE',
  )
}

/** Stores what became of the proposal, unless it was decided meanwhile. */
export async function endProposal(
  { caller, clock, db }: Confirming,
  { id }: ProposalRow,
  { status, error, output }: Outcome,
): Promise<void> {
  const ended = await db.query(
    `update assistant.proposal set status = $3, error_code = $4, error_message = $5, decided_at = $6, output = $7
     where organization_id = $1 and id = $2 and status = 'PENDING' returning id`,
    [
      caller.organizationId,
      id,
      status,
      error?.code ?? null,
      error?.message.slice(0, messageMax) ?? null,
      clock.now().toISOString(),
      output === undefined || output === null ? null : storableJson(output),
    ],
    'WRITE',
  )
  if (ended.length === 0) throw refusalInSituation('The proposal was decided meanwhile.')
}
