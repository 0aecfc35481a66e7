import { isErrorCode, Refusal, statusOfCode, type ErrorCode } from '../../kernel/errors.ts'
import type { GraphAnswer, GraphQuery } from '../../kernel/graph-port/graph-port.ts'
import { externalCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireRole } from '../../kernel/require.ts'
import { requireWrite, shapeOf, typeOf } from '../tool/records.ts'
import type { Proposal } from './proposal.types.ts'
import { mutationName, proposalOf, readProposal, requireProposal, statusOf, type ProposalRow } from './stored.ts'

export type Confirming = RequestContext<'graph' | 'tenants'>

const costMax = 1_000
const messageMax = 500

function mutationOf(row: ProposalRow): GraphQuery {
  const type = typeOf(shapeOf(row.object))
  const name = mutationName(row)
  if (row.action === 'create')
    return {
      document: `mutation ($input: ${type}CreateInput!) { result: ${name}(input: $input) { id } }`,
      variables: { input: { ...row.input, id: row.recordId } },
      costMax,
    }
  return {
    document: `mutation ($id: ID!, $input: ${type}UpdateInput!, $expectedVersion: Int) {
      result: ${name}(id: $id, input: $input, expectedVersion: $expectedVersion) { id }
    }`,
    variables: { id: row.recordId, input: row.input, expectedVersion: row.expectedVersion },
    costMax,
  }
}

function requireOpen(row: ProposalRow, now: Date): ProposalRow {
  const status = statusOf(row, now)
  if (status !== 'PENDING') throw refusalInSituation(`A proposal that is ${status} cannot be confirmed or rejected.`)
  return row
}

const requireWriter = (ctx: RequestContext): void => requireRole(ctx, 'OWNER', 'ADMIN', 'MANAGER', 'MEMBER')

interface Outcome {
  readonly status: 'CONFIRMED' | 'STALE' | 'FAILED'
  readonly refusal: Refusal | null
}

/** A refusal after which a repetition may succeed is thrown, and the proposal stays open. */
function outcomeOf({ errors }: GraphAnswer): Outcome {
  const [error] = errors
  if (!error) return { status: 'CONFIRMED', refusal: null }
  const given = error.extensions?.['code']
  const code: ErrorCode = isErrorCode(given) ? given : 'VALIDATION_FAILED'
  const refusal = new Refusal(code, error.message, { ...error.extensions })
  if (statusOfCode[code] >= 500 || statusOfCode[code] === 429 || code === 'IDEMPOTENCY_IN_PROGRESS') throw refusal
  return { status: code === 'VERSION_CONFLICT' ? 'STALE' : 'FAILED', refusal }
}

const asAnswer = (thrown: unknown): GraphAnswer => {
  if (!(thrown instanceof Refusal)) throw thrown
  return { data: null, errors: [{ message: thrown.message, extensions: { ...thrown.extensions } }] }
}

/**
 * Performs the change as the user, with the version that was read. It has one idempotency key for all confirmations: of two at the same time, and
 * after `kill -9` at any line, it is made once.
 */
async function perform(ctx: Confirming, id: string): Promise<void> {
  const { caller, clock, graph, requestId } = ctx
  const row = requireOpen(await requireProposal(ctx.db, caller, id), clock.now())
  requireWrite(caller, row.object)
  await ctx.db.query(
    `update assistant.proposal set begun_at = coalesce(begun_at, $3) where organization_id = $1 and id = $2 and status = 'PENDING'`,
    [caller.organizationId, row.id, clock.now().toISOString()],
    'WRITE',
  )
  const actor = { ...caller, credentialId: `proposal:${row.id}` }
  const { status, refusal } = await graph
    .execute(mutationOf(row), actor, { requestId, idempotencyKey: row.id })
    .then(outcomeOf, (thrown: unknown) => outcomeOf(asAnswer(thrown)))
  const ended = await ctx.db.query(
    `update assistant.proposal set status = $3, error_code = $4, error_message = $5, decided_at = $6
     where organization_id = $1 and id = $2 and status = 'PENDING' returning id`,
    [
      caller.organizationId,
      row.id,
      status,
      refusal?.code ?? null,
      refusal?.message.slice(0, messageMax) ?? null,
      clock.now().toISOString(),
    ],
    'WRITE',
  )
  if (ended.length === 0) throw refusalInSituation('The proposal was decided meanwhile.')
  if (refusal) throw refusal
}

/** Makes the change that was proposed, once. */
export async function confirmProposal(ctx: Confirming, id: string): Promise<Proposal> {
  requireWriter(ctx)
  return transactionWithExternalCalls(ctx, async (inner) => {
    await externalCall(inner, `confirm ${id}`, async () => {
      // The transaction of the request is over when the change is made.
      const outside = { ...inner, externalCalls: null, db: inner.tenants.of(inner.caller.organizationId) }
      return () => perform(outside, id)
    })
    return readProposal(inner, id)
  })
}

export async function rejectProposal(ctx: RequestContext, id: string): Promise<Proposal> {
  requireWriter(ctx)
  return inTransaction(ctx, async (inner) => {
    const { db, caller, clock } = inner
    const now = clock.now()
    const row = requireOpen(await requireProposal(db, caller, id, true), now)
    if (row.begunAt !== null) throw refusalInSituation('The proposal is being confirmed.')
    await db.query(
      `update assistant.proposal set status = 'REJECTED', decided_at = $3 where organization_id = $1 and id = $2`,
      [caller.organizationId, row.id, now.toISOString()],
      'WRITE',
    )
    return proposalOf(caller, await requireProposal(db, caller, row.id), now)
  })
}
