import { afterAll, beforeAll, expect, it } from 'vitest'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { replyDraftExpire } from '../../subgraphs/outreach/reply-draft/reply-draft-expire.job.ts'
import { expectValidEvents } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let stranger: Member

beforeAll(async () => {
  member = await platform.member()
  stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
})
afterAll(() => expectValidEvents(platform))

let mails = 0

/** A mail to a customer, its reply, and the drafts of the thread. */
async function answered(text: string) {
  const to = `person${++mails}@customer.example`
  const { body: mail } = await member.rest.emailSend!({ body: { to: [to], subject: 'Dock slots', bodyText: 'Hello' } })
  await drain(outgoingEmailQueue, platform.services)
  const reply = () =>
    member.rest.emailInboundReceive!({
      query: { api_key: member.secret },
      body: {
        from: to,
        to: ['ann@fjordline.example'],
        subject: 'Re: Dock slots',
        text,
        messageId: `<r${++mails}@customer.example>`,
        inReplyTo: mail.internetMessageId,
      },
    })
  await reply()
  return { to, threadId: mail.threadId as string, reply, drafts: () => draftsOf(mail.threadId) }
}

async function draftsOf(threadId: string) {
  const { status, body } = await member.rest.replyDraftList!({ query: { threadId, sortBy: 'createdAt' } })
  expect(status).toBe(200)
  return body.data as { id: string; status: string; sentMessageId: string | null }[]
}

it('suggests a reply to a mail of a person, which a user edits, approves and sends once', async () => {
  const { to, drafts, threadId } = await answered('When can we meet?\n\nOn Monday Ann wrote:\n> What is the price?')
  const [draft] = await drafts()
  expect(draft).toMatchObject({
    status: 'PENDING',
    subject: 'Re: Dock slots',
    bodyHtml: expect.stringContaining('<blockquote>When can we meet?</blockquote>'),
    reason: 'The mail is about a meeting.',
    confidence: 65,
  })
  const id = draft!.id
  for (const call of [
    stranger.rest.replyDraft!({ draftId: id }),
    stranger.rest.replyDraftSend!({ draftId: id }),
    stranger.rest.replyDraftDelete!({ draftId: id }),
  ])
    expect((await call).status).toBe(404)
  const edited = await member.rest.replyDraftUpdate!({
    draftId: id,
    body: { status: 'APPROVED', bodyHtml: '<p>Tuesday?</p><script>x()</script>' },
  })
  expect(edited.body).toMatchObject({ status: 'APPROVED', version: 2 })
  const lines = await member.rest.replyDraftUpdate!({ draftId: id, body: { subject: 'Hi\r\nBcc: eve@example.com' } })
  expect([lines.status, lines.body.errors[0].code]).toEqual([400, 'NOT_ONE_LINE'])
  const sent = await Promise.all([1, 2].map(() => member.rest.replyDraftSend!({ draftId: id })))
  expect(sent.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  const { body: mail } = sent.find(({ status }) => status === 200)!
  expect(mail).toMatchObject({ to: [to], threadId, subject: 'Re: Dock slots', bodyHtml: '<p>Tuesday?</p>' })
  expect(await drafts()).toMatchObject([{ status: 'SENT', sentMessageId: mail.id }])
  for (const call of [
    member.rest.replyDraftUpdate!({ draftId: id, body: { subject: 'x' } }),
    member.rest.replyDraftDelete!({ draftId: id }),
  ])
    expect(await call).toMatchObject({ status: 409, body: { code: 'INVALID_STATE', allowed: [] } })
})

it('is rejected, and made obsolete by the next mail, a mail of the user, and time', async () => {
  const { drafts, reply, threadId, to } = await answered('Thanks')
  await reply()
  expect((await drafts()).map(({ status }) => status).sort()).toEqual(['EXPIRED', 'PENDING'])
  const pending = (await drafts()).find(({ status }) => status === 'PENDING')!
  const wrong = await member.rest.replyDraftUpdate!({ draftId: pending.id, body: { status: 'SENT' } })
  expect(wrong).toMatchObject({
    status: 409,
    body: { code: 'INVALID_STATE', allowed: ['APPROVED', 'SENT', 'REJECTED'] },
  })
  expect((await member.rest.replyDraftDelete!({ draftId: pending.id })).status).toBe(204)
  expect((await member.rest.replyDraft!({ draftId: pending.id })).body.status).toBe('REJECTED')
  await reply()
  await member.rest.emailSend!({ body: { to: [to], threadId, bodyText: 'Own words' } })
  expect((await drafts()).map(({ status }) => status).sort()).toEqual(['EXPIRED', 'EXPIRED', 'REJECTED'])
  await reply()
  await platform.query(`update outreach.reply_draft set expires_at = now() - interval '1 day' where status = 'PENDING'`)
  await replyDraftExpire.run(platform.services)
  expect((await drafts()).filter(({ status }) => status === 'PENDING')).toEqual([])
})

it('is not suggested for automatic replies', async () => {
  const { drafts } = await answered('Out of office')
  const before = (await drafts()).length
  const { body } = await member.rest.emailInboundReceive!({
    query: { api_key: member.secret },
    body: {
      from: 'person@customer.example',
      to: ['a@b.example'],
      subject: 'Automatic reply: Dock slots',
      text: 'Away',
    },
  })
  expect(await draftsOf(body.threadId)).toEqual([])
  expect((await drafts()).length).toBe(before)
})
