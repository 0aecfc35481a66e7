import type { Member, Platform } from '../platform.ts'

export interface ManyEnrolled {
  readonly count: number
  readonly nextRunAt: string
}

/** Enrollments of contacts that do not exist, in the first step of a sequence. */
export async function manyEnrolled(
  platform: Platform,
  { organizationId, userId }: Member,
  { id, stepIds }: { readonly id: string; readonly stepIds: readonly string[] },
  { count, nextRunAt }: ManyEnrolled,
): Promise<void> {
  await platform.query(
    `insert into outreach.sequence_enrollment (organization_id, id, owner_id, custom_fields, version, created_at, updated_at, sequence_id,
       entity_type, entity_id, status, current_step_id, current_step_position, next_run_at, enrolled_at, enrolled_by_id, sender_id)
     select $1, uuidv7(), $2, '{}', 1, $6, $6, $3, 'CONTACT', uuidv7(), 'ACTIVE', $4, 1, $5, $6, $2, $2 from generate_series(1, $7::int)`,
    [organizationId, userId, id, stepIds[0], nextRunAt, platform.now.toISOString(), count],
  )
}
