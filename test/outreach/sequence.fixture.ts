import { expect } from 'vitest'
import { consumeNext } from '../../subgraphs/kernel/outbox/consume-events.ts'
import { runSequences } from '../../subgraphs/outreach/enrollment/run/run-sequences.ts'
import { sequenceStopConsumer } from '../../subgraphs/outreach/enrollment/stop/stop-consumer.ts'
import type { Member, Platform } from '../platform.ts'

/** Mails at any time of any day. */
export const anyTime = {
  timezone: 'UTC',
  sendDays: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'],
  sendStart: '00:00',
  sendEnd: '24:00',
}

export const aMail = (values: object = {}) => ({
  type: 'EMAIL',
  subject: 'Dock slots for {{contact.firstName | you}}',
  bodyHtml: '<p>Hello {{contact.firstName | there}}, {{sender.name}}</p>',
  ...values,
})

/** Creates a sequence with these steps and starts it. Returns its id and those of its steps. */
export async function aSequence(
  member: Member,
  steps: readonly object[],
  { settings = {}, ...values }: { readonly settings?: object; readonly [name: string]: unknown } = {},
): Promise<{ id: string; stepIds: string[] }> {
  const body = { name: 'Terminals of the north', settings: { ...anyTime, ...settings }, steps, ...values }
  const created = await member.rest.sequenceCreate!({ body })
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  const { id } = created.body
  const stepIds = (created.body.steps as { id: string }[]).map((step) => step.id)
  const started = await member.rest.sequenceToggle!({ id })
  expect(started.status, JSON.stringify(started.body)).toBe(200)
  return { id, stepIds }
}

/** Executes what is due, as a worker does. */
export const run = (platform: Platform): Promise<number> => runSequences(platform.services)

/** Lets the enrollments react to all events so far. */
export async function react(platform: Platform, { organizationId }: Member): Promise<void> {
  await platform.query('select kernel.assign_event_positions(10000)')
  while (await consumeNext(platform.services, sequenceStopConsumer, organizationId));
}
