import { pino } from 'pino'
import { expect, it } from 'vitest'
import { runDunning } from '../../subgraphs/commerce/dunning/dunning.job.ts'
import { contact, each, sentInvoice } from '../builders.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform } from '../platform.ts'

const platform = usePlatform({ NEW_ORGANIZATION_MAILS: '5/30d' })

it('reminders of a new organization wait until it may mail again, and are sent then', async () => {
  platform.now = new Date('2027-02-01T10:00:00.000Z')
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const run = () => runDunning({ ...platform.services, log })
  const member = await platform.member({ organizationId: await platform.organization('Young'), role: 'ADMIN' })
  expect((await member.rest.dunningUpdate!({ body: { enabled: true, sendTime: '08:00' } })).status).toBe(200)
  // The mails of the invoices are three of the five.
  const invoices = await each([1, 2, 3], async (number) => {
    const email = `young${number}@customer.example`
    const { id: contactId } = await contact(member, { email })
    const dates = { issueDate: '2026-12-20', dueDate: `2027-01-${18 + number}` }
    return { ...(await sentInvoice(member, { contactId, ...dates })), email }
  })
  const counts = () => each(invoices, async ({ id }) => (await member.rest.invoice!({ id })).body.reminderCount)
  const mails = () => each(invoices, async ({ email }) => (await mailsTo(platform, email)).length)
  const runs = () =>
    platform.query(
      `select day::text, finished_at is not null as "isFinished", resume_at as "resumeAt" from commerce.dunning_run
       where organization_id = $1 order by day`,
      [member.organizationId],
    )
  const last = (await member.rest.invoice!({ id: invoices[2]!.id })).body

  for (const minute of [0, 1, 30]) {
    platform.now = new Date(Date.parse('2027-02-01T10:00:00.000Z') + minute * 60_000)
    await run()
    expect(await counts()).toEqual([1, 1, 0])
    expect(await runs()).toEqual([{ day: '2027-02-01', isFinished: false, resumeAt: '2027-02-02T10:00:00.000Z' }])
    expect(lines).toHaveLength(1)
  }
  expect((await member.rest.invoice!({ id: last.id })).body).toEqual(last)
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 30,
    organizationId: member.organizationId,
    resumeAt: '2027-02-02T10:00:00.000Z',
    msg: 'reminders wait until the organization may send mails',
  })

  // The run of the next day begins before there are mails again, and goes on in the same minute that there are.
  for (const second of [0, 30]) {
    platform.now = new Date(Date.parse('2027-02-02T09:59:00.000Z') + second * 1000)
    await run()
    expect(lines).toHaveLength(2)
    expect(await counts()).toEqual([1, 1, 0])
  }
  platform.now = new Date('2027-02-02T10:00:00.000Z')
  await run()
  await run()
  expect(await counts()).toEqual([1, 1, 1])
  expect(await mails()).toEqual([2, 2, 2])
  expect((await runs()).at(-1)).toEqual({ day: '2027-02-02', isFinished: true, resumeAt: null })
  expect(lines).toHaveLength(2)
})
