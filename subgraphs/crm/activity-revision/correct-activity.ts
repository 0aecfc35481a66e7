import { actorIdOf } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { change } from '../../kernel/record/records-of.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { activity } from '../activity/activity.record.ts'
import type { Activity } from '../activity/activity.ts'
import type { ActivityCorrectInput } from './activity-correct-input.ts'

/** Corrects the wording of an activity and keeps the former one, in one transaction. The same wording changes nothing. */
export function correctActivity(
  ctx: RequestContext,
  id: string,
  { subject, body }: ActivityCorrectInput,
  expectedVersion: number | null,
): Promise<Activity> {
  const values = { ...(subject !== undefined && { subject }), ...(body !== undefined && { body }) }
  return inTransaction(ctx, async (inner) => {
    const correctedAt = ctx.clock.now().toISOString()
    const kept: { former: Activity | null } = { former: null }
    const corrected = await change(
      inner,
      activity,
      id,
      (previous) => {
        const next = { ...previous, ...values }
        const isSame = next.subject === previous.subject && next.body === previous.body
        kept.former = isSame ? null : previous
        const draft = { operation: 'UPDATE', values } as const
        return isSame
          ? draft
          : { ...draft, implied: { correctedAt }, events: ['activity.corrected'], isEventReplaced: true }
      },
      { expectedVersion, requested: values },
    )
    if (kept.former) await keepWording(inner, kept.former, correctedAt)
    return corrected
  })
}

const keepWording = ({ db, caller }: RequestContext, { id, version, subject, body }: Activity, correctedAt: string) =>
  db.query(
    `insert into crm.activity_revision (id, organization_id, activity_id, activity_version, subject, body, corrected_by_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [newId(), caller.organizationId, id, version, subject, body, actorIdOf(caller), correctedAt],
    'WRITE',
  )
