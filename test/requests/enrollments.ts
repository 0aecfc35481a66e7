import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Member, Platform } from '../platform.ts'

interface Requests {
  readonly platform: Platform
  readonly member: Member
}

const enrollmentId = '019a0c5e-7f00-7d14-8a90-1c2b3d4e5f60'

async function aRunningSequence({ platform }: Requests, sequenceId: string): Promise<void> {
  await platform.query(`update outreach.sequence set status = 'ACTIVE' where id = $1`, [sequenceId])
}

/** An enrollment with this id, in a sequence that may not exist. */
async function anEnrollment(
  { platform, member }: Requests,
  id: string,
  { sequenceId = newId(), status = 'ACTIVE' }: { sequenceId?: string; status?: string } = {},
): Promise<void> {
  await platform.query(
    `insert into outreach.sequence_enrollment (organization_id, id, owner_id, sequence_id, entity_type, entity_id, status,
       current_step_position, next_run_at, remaining_ms, enrolled_by_id, sender_id, enrolled_at, custom_fields, version, created_at, updated_at)
     values ($1, $2, $3, $4, 'CONTACT', gen_random_uuid(), $5, 1, case when $5 = 'ACTIVE' then now() end, 1000, $3, $3, now(), '{}', 1, now(), now())
     on conflict (organization_id, id) do update set sequence_id = excluded.sequence_id, status = excluded.status,
       next_run_at = excluded.next_run_at`,
    [member.organizationId, id, member.userId, sequenceId, status],
  )
}

/** Makes the enrollment of the bodies one of this sequence, which runs. */
const enrollmentIn =
  (status: string) =>
  async (requests: Requests, sequenceId: string): Promise<void> => {
    await aRunningSequence(requests, sequenceId)
    await anEnrollment(requests, enrollmentId, { sequenceId, status })
  }

const twoEnrollments = async (requests: Requests, sequenceId = newId()): Promise<void> => {
  for (let row = 0; row < 2; row++) await anEnrollment(requests, newId(), { sequenceId })
}

export const enrollmentPreparations = {
  sequenceEnrollment: (requests: Requests, id: string) => anEnrollment(requests, id),
  sequenceEnrollmentList: (requests: Requests) => twoEnrollments(requests),
  sequenceDelivery: (requests: Requests) => twoEnrollments(requests),
  sequenceEnrollments: (requests: Requests, id: string) => twoEnrollments(requests, id),
  sequenceEnroll: aRunningSequence,
  sequenceEnrollBulk: aRunningSequence,
  sequencePauseEnrollment: enrollmentIn('ACTIVE'),
  sequenceResumeEnrollment: enrollmentIn('PAUSED'),
  sequenceUnenroll: enrollmentIn('ACTIVE'),
  sequenceProcessStep: enrollmentIn('ACTIVE'),
}

async function aContactId({ member }: Requests): Promise<string> {
  const { body } = await member.rest.contactCreate!({ body: { lastName: 'Berg', email: `u${newId()}@example.com` } })
  return body.id as string
}

const wholeOptions = ({ member }: Requests, whole: boolean): object =>
  whole ? { senderId: member.userId, allowOtherSequences: true } : {}

export const enrollmentBodies = {
  sequenceEnroll: async (requests: Requests, whole: boolean) => ({
    entityType: 'CONTACT',
    entityId: await aContactId(requests),
    ...wholeOptions(requests, whole),
  }),
  sequenceEnrollBulk: async (requests: Requests, whole: boolean) => ({
    entityType: 'CONTACT',
    entityIds: [await aContactId(requests)],
    ...wholeOptions(requests, whole),
  }),
  sequencePauseEnrollment: async (_requests: Requests, whole: boolean) => ({
    enrollmentId,
    ...(whole && { reason: 'Holiday' }),
  }),
  sequenceUnenroll: async (_requests: Requests, whole: boolean) => ({
    enrollmentId,
    ...(whole && { reason: 'Taken over by phone' }),
  }),
  sequenceResumeEnrollment: async () => ({ enrollmentId }),
  sequenceProcessStep: async (_requests: Requests, whole: boolean) => ({
    enrollmentId,
    ...(whole && { stepId: null }),
  }),
}

export const enrollmentQueries = {
  sequenceEnrollmentsForRecord: async (requests: Requests): Promise<Record<string, string>> => ({
    entityType: 'CONTACT',
    entityId: await aContactId(requests),
  }),
}

/** Each of them moves the enrollment on, or enrolls a record that can be enrolled once. */
export const enrollmentsOnce = [
  'sequenceEnroll',
  'sequencePauseEnrollment',
  'sequenceResumeEnrollment',
  'sequenceUnenroll',
  'sequenceProcessStep',
]
