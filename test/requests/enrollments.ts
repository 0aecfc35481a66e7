import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'

/** The enrollment that bodies and examples name; each organization has one with this id. */
export const enrollmentId = '019a0c5e-7f00-7d14-8a90-1c2b3d4e5f60'

async function aRunningSequence({ platform }: Sender, sequenceId: string): Promise<void> {
  await platform.query(`update outreach.sequence set status = 'ACTIVE' where id = $1`, [sequenceId])
}

/** An enrollment with this id, in a sequence that may not exist; it belongs to the owner of the sequence. */
async function anEnrollment(
  { platform, member }: Sender,
  id: string,
  {
    sequenceId = newId(),
    status = 'ACTIVE',
    entityId = newId(),
  }: { sequenceId?: string; status?: string; entityId?: string } = {},
): Promise<void> {
  await platform.query(
    `insert into outreach.sequence_enrollment (organization_id, id, owner_id, sequence_id, entity_type, entity_id, status,
       current_step_position, next_run_at, remaining_ms, enrolled_by_id, sender_id, enrolled_at, custom_fields, version, created_at, updated_at)
     select $1, $2, o.id, $4, 'CONTACT', $6, $5, 1, case when $5 = 'ACTIVE' then now() end, 1000, o.id, o.id, now(), '{}', 1, now(), now()
     from (select coalesce((select owner_id from outreach.sequence where organization_id = $1 and id = $4), $3) as id) o
     on conflict (organization_id, id) do update set owner_id = excluded.owner_id, sequence_id = excluded.sequence_id, status = excluded.status,
       next_run_at = excluded.next_run_at`,
    [member.organizationId, id, member.userId, sequenceId, status, entityId],
  )
}

/** Makes the enrollment of the bodies one of this sequence, which runs. */
const enrollmentIn =
  (status: string) =>
  async (requests: Sender, sequenceId: string): Promise<void> => {
    await aRunningSequence(requests, sequenceId)
    await anEnrollment(requests, enrollmentId, { sequenceId, status })
  }

const twoEnrollments = async (requests: Sender, sequenceId = newId()): Promise<void> => {
  for (let row = 0; row < 2; row++) await anEnrollment(requests, newId(), { sequenceId })
}

export const enrollmentPreparations = {
  sequenceEnrollment: (requests: Sender, id: string) => anEnrollment(requests, id),
  sequenceEnrollmentList: (requests: Sender) => twoEnrollments(requests),
  sequenceDelivery: (requests: Sender) => twoEnrollments(requests),
  sequenceEnrollments: (requests: Sender, id: string) => twoEnrollments(requests, id),
  sequenceEnroll: aRunningSequence,
  sequenceEnrollBulk: aRunningSequence,
  sequencePauseEnrollment: enrollmentIn('ACTIVE'),
  sequenceResumeEnrollment: enrollmentIn('PAUSED'),
  sequenceUnenroll: enrollmentIn('ACTIVE'),
  sequenceProcessStep: enrollmentIn('ACTIVE'),
}

async function aContactId({ member }: Sender): Promise<string> {
  const { status, body } = await member.rest.contactCreate!({
    body: { lastName: 'Berg', email: `u${newId()}@example.com` },
  })
  if (status !== 201) throw new Error(`contactCreate: ${JSON.stringify(body)}`)
  return body.id as string
}

const wholeOptions = ({ member }: Sender, whole: boolean): object =>
  whole ? { senderId: member.userId, allowOtherSequences: true } : {}

export const enrollmentBodies = {
  sequenceEnroll: async (requests: Sender, whole: boolean) => ({
    entityType: 'CONTACT',
    entityId: await aContactId(requests),
    ...wholeOptions(requests, whole),
  }),
  sequenceEnrollBulk: async (requests: Sender, whole: boolean) => ({
    entityType: 'CONTACT',
    entityIds: [await aContactId(requests)],
    ...wholeOptions(requests, whole),
  }),
  sequencePauseEnrollment: async (_requests: Sender, whole: boolean) => ({
    enrollmentId,
    ...(whole && { reason: 'Holiday' }),
  }),
  sequenceUnenroll: async (_requests: Sender, whole: boolean) => ({
    enrollmentId,
    ...(whole && { reason: 'Taken over by phone' }),
  }),
  sequenceResumeEnrollment: async () => ({ enrollmentId }),
  sequenceProcessStep: async (_requests: Sender, whole: boolean) => ({
    enrollmentId,
    ...(whole && { stepId: null }),
  }),
}

export const enrollmentQueries = {
  sequenceEnrollmentsForRecord: async (requests: Sender): Promise<Record<string, string>> => {
    const entityId = await aContactId(requests)
    for (let row = 0; row < 2; row++) await anEnrollment(requests, newId(), { entityId })
    return { entityType: 'CONTACT', entityId }
  },
}

/** Each of them moves the enrollment on, or enrolls a record that can be enrolled once. */
export const enrollmentsOnce = [
  'sequenceEnroll',
  'sequencePauseEnrollment',
  'sequenceResumeEnrollment',
  'sequenceUnenroll',
  'sequenceProcessStep',
]
