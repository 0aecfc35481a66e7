import type { RequestContext } from '../../../kernel/request.ts'
import type { SequenceAttemptResult } from '../enrollment.enumerations.ts'
import type { Snapshot } from './snapshot.ts'

/** An execution of a step. */
export interface Attempt {
  readonly id: string
  readonly enrollmentId: string
  readonly sequenceId: string
  readonly stepId: string
  readonly visit: number
  readonly stepType: string
  readonly stepPosition: number
  readonly variantId: string | null
  readonly senderId: string | null
  readonly result: SequenceAttemptResult
  readonly detail: string | null
  readonly messageId: string | null
  readonly taskId: string | null
}

/** No worker looks at them again until their sequence goes on. Nothing that a user sees changes. */
export async function park({ db, caller }: RequestContext, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.query(
    'update outreach.sequence_enrollment set is_parked = true where organization_id = $1 and id = any($2::uuid[])',
    [caller.organizationId, ids],
  )
}

/** Its unique index makes a second execution of a step in a round impossible. */
export async function insertAttempts(
  { db, caller }: RequestContext,
  { now }: Snapshot,
  attempts: readonly Attempt[],
): Promise<void> {
  if (attempts.length === 0) return
  await db.query(
    `insert into outreach.sequence_attempt (organization_id, id, enrollment_id, sequence_id, step_id, visit, step_type, step_position,
       variant_id, sender_id, result, detail, executed_at, message_id, task_id)
     select $1, a.id, a."enrollmentId", a."sequenceId", a."stepId", a.visit, a."stepType", a."stepPosition",
       a."variantId", a."senderId", a.result, a.detail, $2, a."messageId", a."taskId"
     from jsonb_to_recordset($3::jsonb) as a (id uuid, "enrollmentId" uuid, "sequenceId" uuid, "stepId" uuid, visit int, "stepType" text,
       "stepPosition" int, "variantId" uuid, "senderId" uuid, result text, detail text, "messageId" uuid, "taskId" uuid)`,
    [caller.organizationId, now.toISOString(), JSON.stringify(attempts)],
  )
}
