import { organizationsWith } from '../../../identity/public.ts'
import { newId } from '../../../kernel/ids.ts'
import { allColumnNames } from '../../../kernel/record/read.ts'
import { selectList } from '../../../kernel/record/selection.ts'
import type { RequestContext, Services } from '../../../kernel/request.ts'
import { sequenceEnrollment } from '../enrollment.record.ts'
import type { SequenceEnrollment } from '../enrollment.ts'

/** Longer than a batch takes, with mails that take as long as they may. */
const leaseMs = 120_000

const isDue = `e.deleted_at is null and e.status = 'ACTIVE' and not e.is_parked`
const isFree = '(e.leased_until is null or e.leased_until <= statement_timestamp())'

/** The active organizations with enrollments that are due and that no worker has leased. */
export async function organizationsWithDue({ database, clock }: Services): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    organizationsWith(
      `(select * from outreach.sequence_enrollment e where ${isDue}) r`,
      `r.next_run_at <= $1 and (r.leased_until is null or r.leased_until <= statement_timestamp())`,
    ),
    [clock.now().toISOString()],
  )
  return rows.map(({ id }) => id)
}

export interface Leased {
  readonly token: string
  readonly enrollments: readonly SequenceEnrollment[]
}

/** Leases the enrollments of an organization that have been due the longest. The lease ends by the clock of the database. */
export async function leaseDue(
  { db, caller, clock }: RequestContext,
  max: number,
  only: readonly string[] | null = null,
): Promise<Leased> {
  const token = newId()
  const leased = await db.query<SequenceEnrollment & Record<string, unknown>>(
    `with due as materialized (
       select e.id from outreach.sequence_enrollment e
       where e.organization_id = $1 and ${isDue} and e.next_run_at <= $2 and ${isFree}
         and ($5::uuid[] is null or e.id = any($5))
       order by e.next_run_at, e.id limit $3 for update skip locked
     )
     update outreach.sequence_enrollment t
     set lease_token = $4, leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
     from due where t.organization_id = $1 and t.id = due.id
     returning ${selectList(sequenceEnrollment, allColumnNames(sequenceEnrollment), 't', null)}`,
    [caller.organizationId, clock.now().toISOString(), max, token, only],
  )
  return { token, enrollments: leased }
}

/** Gives leases back whose enrollments are as they were. */
export async function release({ db, caller }: RequestContext, token: string): Promise<void> {
  await db.query(
    `update outreach.sequence_enrollment set lease_token = null, leased_until = null
     where organization_id = $1 and lease_token = $2`,
    [caller.organizationId, token],
  )
}
