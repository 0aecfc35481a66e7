import { modelUserOf } from '../../identity/public.ts'
import { transactionWithExternalCalls, externalCall } from '../../kernel/outbound/external-call.ts'
import type { Summarizable } from '../../kernel/language-model/extractive-summary.ts'
import { summarizeOrSelect } from '../../kernel/language-model/summarize-or-select.ts'
import { requireReadable } from '../../kernel/record/field-security.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { type CaseComment } from '../case-comment/case-comment.ts'
import { caseComment } from './case.record.ts'
import { type Case, type CaseStatus } from './case.ts'
import { supportCase } from './case.record.ts'
import { assignmentEvents, changeStatus } from './case.decision.ts'
import { breachReset } from './case.status.ts'

const cases = recordsOf(supportCase)

export const createCase = (ctx: RequestContext, input: RecordInput<Case>): Promise<Case> => cases.create(ctx, input)

export const updateCase = (
  ctx: RequestContext,
  id: string,
  input: RecordInput<Case>,
  expectedVersion: number | null,
): Promise<Case> => cases.update(ctx, id, input, expectedVersion)

/** Changes the status with its side effects, in one change. The same status changes nothing. */
export function setCaseStatus(
  ctx: RequestContext,
  id: string,
  status: CaseStatus,
  expectedVersion: number | null = null,
): Promise<Case> {
  return change(
    ctx,
    supportCase,
    id,
    async (previous, inner) => {
      const { values: implied, events } = await changeStatus(inner, previous, status)
      const reset = breachReset(previous, implied, ctx.clock.now().toISOString())
      return { operation: 'UPDATE', values: { status }, implied: { ...implied, ...reset }, events }
    },
    { expectedVersion, requested: { status } },
  )
}

/** Assigns the case to a user; null removes the assignee. */
export function assignCase(
  ctx: RequestContext,
  id: string,
  assignedToId: string | null,
  expectedVersion: number | null = null,
): Promise<Case> {
  return change(
    ctx,
    supportCase,
    id,
    (previous) => ({ operation: 'UPDATE', values: { assignedToId }, events: assignmentEvents(previous, assignedToId) }),
    { expectedVersion },
  )
}

/**
 * Writes a summary of the case and its comments, stores it and returns it. The language model is called once; without a usable answer, fixed rules write the summary. Changes during the call are not
 * summarized: the case then has a higher version than `basedOnVersion`, which counts the change that stores the summary.
 */
export async function summarizeCase(ctx: RequestContext<'languageModel' | 'work'>, id: string) {
  requireReadable(ctx.caller, supportCase, 'description', 'aiSummary')
  const summarized = await transactionWithExternalCalls(ctx, (outer) =>
    change(outer, supportCase, id, async (previous, inner) => {
      const aiSummary = await externalCall(inner, `summary of case ${id}`, () => summaryCall(inner, previous))
      return { operation: 'UPDATE', values: {}, implied: { aiSummary } }
    }),
  )
  return { caseId: summarized.id, ...(summarized.aiSummary as StoredSummary) }
}

type StoredSummary = Awaited<ReturnType<Awaited<ReturnType<typeof summaryCall>>>>

/** Prepares the call to the language model with the current text. */
async function summaryCall(ctx: RequestContext<'languageModel' | 'work'>, previous: Case) {
  const text = await summarizableOf(ctx, previous)
  const user = await modelUserOf(ctx)
  return async () => {
    const { summary, keyPoints, model } = await summarizeOrSelect(ctx, text, user)
    const generatedAt = ctx.clock.now().toISOString()
    return { summary, keyPoints, generatedAt, model, basedOnVersion: previous.version + 1 }
  }
}

/** Maximum number of comments in a summary; the newest are used. A comment is never cut. */
const commentsMax = 200
/** Maximum number of characters of the description and these comments together. */
const charactersMax = 100_000

async function summarizableOf(ctx: RequestContext, { id, subject, description }: Case): Promise<Summarizable> {
  const comments = await ctx.db.query<{ body: string }>(
    `select body from (
       select body, created_at, id, sum(char_length(body)) over (order by created_at desc, id desc) as characters
       from (
         select body, created_at, id from support.case_comment where organization_id = $1 and case_id = $2
         order by created_at desc, id desc limit ${commentsMax}
       ) newest
     ) counted
     where characters <= $3 order by created_at, id`,
    [ctx.caller.organizationId, id, charactersMax - (description ?? '').length],
  )
  return { title: subject, passages: [description ?? '', ...comments.map(({ body }) => body)] }
}

/** Adds a comment. The first public comment of a user also sets `firstResponseAt`, in the same transaction. */
export function commentOnCase(
  ctx: RequestContext,
  caseId: string,
  input: RecordInput<CaseComment>,
): Promise<CaseComment> {
  const { kind, userId } = ctx.caller
  const isAgent = kind !== 'SYSTEM'
  const isInternal = input.isInternal ?? false
  return inTransaction(ctx, async (inner) => {
    const { id } = await change(inner, supportCase, caseId, (previous) => ({
      operation: 'UPDATE',
      values: {},
      implied:
        isAgent && !isInternal && !previous.firstResponseAt ? { firstResponseAt: ctx.clock.now().toISOString() } : {},
    }))
    return recordsOf(caseComment).create(inner, input, {
      caseId: id,
      isInternal,
      authorId: isAgent ? userId : null,
      authorType: isAgent ? 'USER' : 'SYSTEM',
    })
  })
}
