import { beforeAll, describe, expect, it, vi } from 'vitest'
import { each } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aWorker, patience, useSmtpReceiver } from './killed-worker.ts'

const platform = usePlatform()
const smtp = useSmtpReceiver()
const count = 20
let member: Member

beforeAll(async () => {
  member = await platform.member({ organizationId: await platform.organization('Killed') })
})

describe('a worker that is killed while it sends scheduled drafts', { timeout: 240_000 }, () => {
  it('makes one mail of each draft, and all of them are sent when it runs again', async () => {
    const numbers = Array.from({ length: count }, (_, index) => index)
    const drafts = await each(numbers, async (index) => {
      const toEmails = [`killed-${index}@customer.example`]
      const body = { subject: 'Slots', bodyHtml: '<p>Hello</p>', toEmails }
      return (await member.rest.smartEmailDraftCreate!({ body })).body.id as string
    })
    await platform.query(
      `update outreach.smart_email_draft set status = 'SCHEDULED', scheduled_at = now() - interval '1 minute',
         next_attempt_at = now() - interval '1 minute', timezone = 'UTC' where id = any($1::uuid[])`,
      [drafts],
    )
    const worker = await aWorker(platform, { SMTP_URL: smtp.url() })
    const inStatus = async (...statuses: string[]): Promise<number> =>
      (
        await platform.query(
          'select from outreach.smart_email_draft where id = any($1::uuid[]) and status = any($2::text[])',
          [drafts, statuses],
        )
      ).length

    await worker.start('smartEmail.sendDue')
    await vi.waitFor(async () => expect(await inStatus('SENDING', 'SENT')).toBeGreaterThan(0), patience)
    await worker.kill()
    await worker.start('smartEmail.sendDue')
    // What the killed process was sending is sent again when its lease has ended.
    await vi.waitFor(async () => expect(await inStatus('SCHEDULED')).toBe(0), patience)
    await platform.query(`update outreach.outgoing_email set next_attempt_at = now() where state = 'QUEUED'`)
    await vi.waitFor(async () => expect(await inStatus('SENT')).toBe(count), patience)
    await worker.kill()

    const mails = await platform.query<{ mails: number; queued: number }>(
      `select count(distinct m.id)::int as mails, count(distinct q.id)::int as queued
       from outreach.email_message m left join outreach.outgoing_email q on q.id = m.id where m.organization_id = $1`,
      [member.organizationId],
    )
    expect(mails).toEqual([{ mails: count, queued: count }])
    const idsOf = (index: number) =>
      new Set(
        smtp.receiver.received
          .filter(({ to }) => to.includes(`killed-${index}@customer.example`))
          .map(({ text }) => /^Message-ID: (.+)$/im.exec(text)![1]),
      )
    expect(numbers.map((index) => idsOf(index).size)).toEqual(numbers.map(() => 1))
    const sent = await platform.query(
      `select from kernel.event where organization_id = $1 and type = 'smart_email_draft.sent'`,
      [member.organizationId],
    )
    expect(sent).toHaveLength(count)
  })
})
