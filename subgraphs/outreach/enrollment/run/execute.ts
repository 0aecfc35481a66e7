import { newId } from '../../../kernel/ids.ts'
import { inTransaction, type RequestContext } from '../../../kernel/request.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import { commitPrepared, putOffUntil, wantedOf, type Prepared } from './commit.ts'
import { decide, type Decision, type DecideOptions, type Execution } from './decide.ts'
import { mailsOfTask, planMail, renderPlans, type MailContent, type MailPlan } from './mail-contents.ts'
import { planText } from './plan-text.ts'
import { sentSoFar } from './sender-limit.ts'
import { readSnapshot, type Snapshot } from './snapshot.ts'

/** Characters of all mails of a batch: what exceeds them is left for the next one. */
const charactersMax = 16_000_000
/** Time after which no further mail of a batch is rendered: those that are left are for the next one. */
const renderMs = 10_000

export interface Planned {
  readonly enrollment: SequenceEnrollment
  readonly decision: Decision
  readonly plan: MailPlan | { readonly problem: string } | null
}

/** Decides on each enrollment and plans its mail. */
export function planAll(
  ctx: RequestContext<'keys'>,
  snapshot: Snapshot,
  enrollments: readonly SequenceEnrollment[],
  options: DecideOptions,
  messageIdOf: (enrollmentId: string) => string = newId,
): Planned[] {
  return enrollments.map((enrollment) => {
    const decision = decide(ctx, snapshot, enrollment, options)
    if (decision.kind !== 'EXECUTE' || decision.execution.result !== null) return { enrollment, decision, plan: null }
    const { execution } = decision
    const { type } = execution.step
    if (type === 'EMAIL') {
      const plan = planMail(ctx, snapshot, enrollment, execution, messageIdOf(enrollment.id))
      return { enrollment, decision, plan }
    }
    if (type === 'SMS' || type === 'SOCIAL')
      return { enrollment, decision, plan: planText(ctx, snapshot, enrollment, execution, messageIdOf(enrollment.id)) }
    return { enrollment, decision, plan: null }
  })
}

const executionOf = ({ decision }: Planned): Execution | null =>
  decision.kind === 'EXECUTE' ? decision.execution : null

/** Puts off mails that the limit of their sender no longer allows, before they are rendered. The limit itself is counted when they are queued. */
async function withoutExceeding(
  ctx: RequestContext,
  snapshot: Snapshot,
  planned: readonly Planned[],
): Promise<Planned[]> {
  const mails = planned.filter(({ plan }, index) => plan && executionOf(planned[index]!)?.step.type === 'EMAIL')
  const wanted = mails.map((one) => wantedOf(snapshot, one.enrollment, executionOf(one)!))
  const sent = new Map(await sentSoFar(ctx, wanted))
  const limits = new Map(wanted.map((one) => [one.enrollmentId, one]))
  return planned.map((one) => {
    const want = limits.get(one.enrollment.id)
    if (!want) return one
    const key = `${want.senderId} ${want.day}`
    const count = sent.get(key) ?? 0
    if (count < want.limit) {
      sent.set(key, count + 1)
      return one
    }
    const execution = executionOf(one)!
    const runAt = putOffUntil(snapshot, one.enrollment, execution)
    const { step, sequence } = execution
    return { ...one, plan: null, decision: { kind: 'DEFER', runAt, step, pausedMs: sequence.pausedMs } }
  })
}

const sizeOf = (content: MailContent): number =>
  'content' in content
    ? (content.content.bodyHtml?.length ?? 0) * 2 + content.content.bodyText.length + content.subject.length
    : 0

/** Renders what was planned; without what exceeds the bounds of a batch. */
async function renderAll(ctx: RequestContext<'work'>, planned: readonly Planned[]): Promise<Prepared[]> {
  const contents = new Map<string, MailContent>()
  const plans = planned.flatMap(({ plan }) => (plan && !('problem' in plan) ? [plan] : []))
  let characters = 0
  const until = performance.now() + renderMs
  for (let at = 0; at < plans.length && characters < charactersMax && performance.now() < until;) {
    const rendered = await renderPlans(ctx, plans.slice(at, at + mailsOfTask))
    for (const content of rendered) {
      contents.set(plans[at++]!.enrollmentId, content)
      characters += sizeOf(content)
    }
  }
  return planned.flatMap(({ enrollment, decision, plan }): Prepared[] => {
    if (!plan) return [{ enrollment, decision, plan, content: null }]
    if ('problem' in plan) return [{ enrollment, decision, plan: null, content: plan }]
    const content = contents.get(enrollment.id)
    return content ? [{ enrollment, decision, plan, content }] : []
  })
}

/**
 * Executes the current steps of enrollments that this worker has leased, all of one organization, in one transaction after the mails were
 * rendered. Enrollments that were changed since they were read are left as they are.
 */
export async function executeLeased(
  ctx: RequestContext<'keys' | 'work'>,
  enrollments: readonly SequenceEnrollment[],
  token: string,
): Promise<void> {
  const snapshot = await readSnapshot(ctx, enrollments)
  const planned = await withoutExceeding(ctx, snapshot, planAll(ctx, snapshot, enrollments, {}))
  const prepared = await renderAll(ctx, planned)
  await inTransaction(ctx, async (inner) => {
    const changed = await lockSequences(inner, snapshot)
    const locked = await inner.db.query<{ id: string; version: number }>(
      `select e.id, e.version from outreach.sequence_enrollment e
       where e.organization_id = $1 and e.id = any($2::uuid[]) and e.lease_token = $3 and e.status = 'ACTIVE' and e.deleted_at is null
       order by e.id for update`,
      [inner.caller.organizationId, prepared.map(({ enrollment }) => enrollment.id), token],
    )
    const versions = new Map(locked.map(({ id, version }) => [id, version]))
    const unchanged = prepared.filter(
      ({ enrollment }) => versions.get(enrollment.id) === enrollment.version && !changed.has(enrollment.sequenceId),
    )
    await commitPrepared(inner, snapshot, unchanged)
    await inner.db.query(
      `update outreach.sequence_enrollment set lease_token = null, leased_until = null
       where organization_id = $1 and lease_token = $2 and id = any($3::uuid[])`,
      [inner.caller.organizationId, token, enrollments.map(({ id }) => id)],
    )
  })
}

/**
 * Locks the sequences before their enrollments, as a change of a sequence does, so that none is paused or changed before what follows from its
 * steps is written. Returns the ids of those that were changed since they were read, also by a change of a step: their enrollments are decided
 * and rendered again.
 */
async function lockSequences({ db, caller }: RequestContext, snapshot: Snapshot): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string; version: number }>(
    `select id, version from outreach.sequence
     where organization_id = $1 and id = any($2::uuid[]) and deleted_at is null order by id for share`,
    [caller.organizationId, [...snapshot.sequences.keys()]],
  )
  const versions = new Map(rows.map(({ id, version }) => [id, version]))
  const read = [...snapshot.sequences.values()]
  return new Set(read.filter(({ id, version }) => versions.get(id) !== version).map(({ id }) => id))
}
