import { beforeAll, expect, it } from 'vitest'
import { jobs, queues } from '../../subgraphs/all.ts'
import { resumeOrganization, suspendOrganization } from '../../subgraphs/identity/public.ts'
import { sentInvoice } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let invoiceId: string

beforeAll(async () => {
  member = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
  const mail = { toEmails: ['ines.duarte@example.com'], subject: 'Dock slots', bodyHtml: '<p>Hello</p>' }
  const { body: draft } = await member.rest.smartEmailDraftCreate!({ body: mail })
  const sendAt = { scheduledAt: '2027-03-04T05:06' }
  await member.rest.smartEmailDraftSchedule!({ id: draft.id, body: sendAt })
  // An invoice that becomes overdue.
  invoiceId = (await sentInvoice(member)).id
})

const runJobs = async (): Promise<void> => {
  for (const job of jobs) await job.run(platform.services)
}

/** How many items of the organization each queue has: what leaves the platform, such as mails. */
async function queued(): Promise<Record<string, number>> {
  const counts: [string, number][] = []
  for (const { table } of queues) {
    const [column] = await platform.query(
      `select 1 from pg_attribute where attrelid = $1::regclass and attname = 'organization_id'`,
      [table],
    )
    if (!column) continue
    const [row] = await platform.query<{ count: number }>(
      `select count(*)::int as count from ${table} where organization_id = $1`,
      [member.organizationId],
    )
    counts.push([table, row!.count])
  }
  return Object.fromEntries(counts)
}

const invoiceStatus = async () => {
  const [row] = await platform.query('select status from commerce.invoice where id = $1', [invoiceId])
  return row!.status
}

const draftStates = () =>
  platform.query('select status, failure_reason as reason from outreach.smart_email_draft where organization_id = $1', [
    member.organizationId,
  ])

it('nothing leaves the platform for a suspended organization and no record changes, whatever becomes due; they do when it is active again', async () => {
  await suspendOrganization(platform.services, member.organizationId)
  // The mail is scheduled for the fourth of March.
  platform.advanceClock(40 * 86_400_000)
  const before = await queued()
  expect(Object.keys(before).length).toBeGreaterThan(5)
  await runJobs()
  expect(await queued()).toEqual(before)
  expect(await draftStates()).toEqual([{ status: 'SCHEDULED', reason: null }])
  expect(await invoiceStatus()).toBe('SENT')
  expect(await platform.eventTypesOf(invoiceId)).not.toContain('invoice.overdue')
  await resumeOrganization(platform.services, member.organizationId)
  await runJobs()
  expect(await draftStates()).toEqual([{ status: 'SENDING', reason: null }])
  expect(await invoiceStatus()).toBe('OVERDUE')
  expect((await queued())['outreach.outgoing_email']).toBe(before['outreach.outgoing_email']! + 1)
})
