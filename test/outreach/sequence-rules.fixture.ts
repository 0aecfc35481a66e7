import { expect } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Member, Platform } from '../platform.ts'

/** A sequence or a step as REST returns it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Row = Record<string, any>

export const aMail = (values: object = {}) => ({
  type: 'EMAIL',
  subject: 'Slots for {{account.name | your terminal}}',
  bodyHtml: '<p>Hello {{contact.firstName | there}}</p>',
  ...values,
})

export const aWait = () => ({ type: 'WAIT', delayDays: 1 })

export const stepIds = ({ steps }: Row): string[] => (steps as { id: string }[]).map(({ id }) => id)

export async function step(by: Member, id: string, body: object): Promise<Row> {
  const answer = await by.rest.sequenceStepAdd!({ id, body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

/** A draft with these steps. */
export async function aSequence(by: Member, steps: readonly object[] = [], values: object = {}): Promise<Row> {
  const { status, body } = await by.rest.sequenceCreate!({ body: { name: 'After the fair', ...values } })
  expect(status, JSON.stringify(body)).toBe(201)
  if (steps.length === 0) return body
  for (const one of steps) await step(by, body.id as string, one)
  return (await by.rest.sequence!({ id: body.id })).body
}

interface Enrollment {
  readonly stepId: string | null | undefined
  readonly nextRunAt: string | null
  readonly status?: string
  readonly isParked?: boolean
  readonly contactedAt?: string
  readonly openedAt?: string
  readonly clickedAt?: string
  readonly repliedAt?: string
  readonly bouncedAt?: string
}

/** An enrollment of a record that nobody looks up. */
export async function enrollmentIn(
  platform: Platform,
  { organizationId, userId }: Member,
  sequenceId: string,
  { stepId, nextRunAt, status = 'ACTIVE', isParked = false, ...times }: Enrollment,
): Promise<string> {
  const id = newId()
  await platform.query(
    `insert into outreach.sequence_enrollment (organization_id, id, owner_id, custom_fields, version, created_at, updated_at, sequence_id,
       entity_type, entity_id, status, current_step_id, current_step_position, next_run_at, is_parked, enrolled_at, contacted_at, opened_at,
       clicked_at, replied_at, bounced_at)
     values ($1, $2, $3, '{}', 1, $10, $10, $4, 'CONTACT', $5, $6, $7, 1, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      organizationId,
      id,
      userId,
      sequenceId,
      newId(),
      status,
      stepId ?? null,
      nextRunAt,
      isParked,
      platform.now.toISOString(),
      times.contactedAt ?? null,
      times.openedAt ?? null,
      times.clickedAt ?? null,
      times.repliedAt ?? null,
      times.bouncedAt ?? null,
    ],
  )
  return id
}
