import { ImapFlow } from 'imapflow'
import { simpleParser } from 'mailparser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiKey } from '../../subgraphs/identity/public.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import type { FileStore } from '../../subgraphs/kernel/file/file-store.ts'
import type { Services } from '../../subgraphs/kernel/request.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { attachedBytesMax } from '../../subgraphs/outreach/email/send-email.inputs.ts'
import { DovecotServer, hasDovecot } from '../../subgraphs/outreach/mailbox/dovecot.fixture.ts'
import { mailboxPollQueue, queueDuePolls } from '../../subgraphs/outreach/mailbox/mailbox-poll.queue.ts'
import { smartEmailSendDue } from '../../subgraphs/outreach/smart-email/send-due.job.ts'
import { account, aLine, quote } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs } from '../expectations.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'
import { restClient } from '../rest-client.ts'
import { mailboxValues } from './mailbox-values.ts'

const smtp = new SmtpReceiver()
const imap = new DovecotServer()
const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1', FILE_MB_MAX: '100' })
let smtpPort: number

beforeAll(async () => {
  smtpPort = Number(new URL(await smtp.start()).port)
  if (hasDovecot) await imap.start()
})
afterAll(async () => {
  await smtp.stop()
  imap.stop()
  await expectValidEvents(platform)
})

let count = 0

async function aMailbox(owner: Member): Promise<{ id: string; email: string }> {
  const email = `box${++count}@fjordline.example`
  const { status, body } = await owner.rest.mailboxCreate!({
    body: mailboxValues(email, smtpPort, imap.port || 1143),
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body as { id: string; email: string }
}

async function uploaded(by: Member, content: string | Buffer, values: object = {}): Promise<string> {
  const { body } = await by.rest.fileCreate!({ body: { name: 'Terms.txt', ...values } })
  const { status } = await fetch(`${platform.url}/v1/files/${body.id}/content`, {
    method: 'PUT',
    headers: { ...by.headers, 'Content-Type': 'application/octet-stream' },
    body: content as never,
  })
  expect(status).toBe(200)
  return body.id as string
}

const downloaded = async (by: Member, id: string): Promise<Buffer | number> => {
  const answer = await fetch(`${platform.url}/v1/files/${id}/content`, { headers: by.headers })
  return answer.ok ? Buffer.from(await answer.arrayBuffer()) : answer.status
}

describe('emailSend with files', () => {
  const send = async (by: Member, fileIds: readonly string[], values: object = {}) =>
    by.rest.emailSend!({
      body: { to: [`ida${++count}@customer.example`], subject: 'Terms', bodyText: 'See the file.', fileIds, ...values },
    })

  it('sends the bytes of the files, and names them in the mail', async () => {
    const ann = await platform.member()
    const { id: mailboxId } = await aMailbox(ann)
    const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(100_000, 7)])
    const files = [
      await uploaded(ann, 'Delivery within five days.'),
      await uploaded(ann, pdf, { name: '../Größe 1/2.pdf' }),
    ]
    const { status, body } = await send(ann, [...files, files[0]!.toUpperCase()], { mailboxId })
    expect([status, body.attachments]).toEqual([
      201,
      [
        { fileId: files[0], filename: 'Terms.txt', contentType: 'text/plain', size: 26 },
        { fileId: files[1], filename: '../Größe 1/2.pdf', contentType: 'application/pdf', size: pdf.length },
      ],
    ])
    await drain(outgoingEmailQueue, platform.services)
    const { text } = smtp.received.findLast(({ to }) => to.includes((body.to as string[])[0]!))!
    const { attachments } = await simpleParser(text)
    expect(attachments.map(({ filename, contentType, content }) => [filename, contentType, content])).toEqual([
      ['Terms.txt', 'text/plain', Buffer.from('Delivery within five days.')],
      ['.._Größe 1_2.pdf', 'application/pdf', pdf],
    ])
    const query = '{ emailThread(id: $id) { messages { status attachments { file { name } } } } }'
    const { body: read } = await ann.graphql(`query ($id: ID!) ${query}`, { id: body.threadId })
    expect(read.data.emailThread.messages[0]).toMatchObject({
      status: 'SENT',
      attachments: [{ file: { name: 'Terms.txt' } }, { file: { name: '../Größe 1/2.pdf' } }],
    })
  })

  it('refuses files that the sender does not see, that have no bytes, and that are too many or too large', async () => {
    const organizationId = await platform.organization()
    const [ann, ben] = [
      await platform.member({ organizationId, visibility: 'OWN' }),
      await platform.member({ organizationId, visibility: 'OWN' }),
    ]
    const mine = await uploaded(ann, 'x')
    const { body: empty } = await ann.rest.fileCreate!({ body: { name: 'Later.txt' } })
    const foreign = await uploaded(await platform.member(), 'x')
    for (const [by, id] of [
      [ben, mine],
      [ann, empty.id as string],
      [ann, foreign],
    ] as const)
      expect(await refusedInputs(platform, () => send(by, [mine, id].slice(by === ben ? 1 : 0)))).toEqual([
        400,
        'VALIDATION_FAILED',
        `fileIds.${by === ben ? 0 : 1} UNKNOWN_REFERENCE`,
      ])
    const large = [await uploaded(ann, Buffer.alloc(attachedBytesMax)), mine]
    expect(await refusedInputs(platform, () => send(ann, large))).toEqual([
      400,
      'VALIDATION_FAILED',
      'fileIds TOO_LARGE',
    ])
    expect(
      (
        await send(
          ann,
          Array.from({ length: 11 }, () => mine),
        )
      ).status,
    ).toBe(400)
    const key = await platform.member({ organizationId, scopes: ['WRITE_EMAILS'] })
    expect(await refused(platform, () => send(key, [mine]))).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
  })

  it('does not send a mail whose file was deleted before it left', async () => {
    const ann = await platform.member()
    const { id: mailboxId } = await aMailbox(ann)
    const file = await uploaded(ann, 'x')
    const { body } = await send(ann, [file], { mailboxId })
    await ann.rest.fileDelete!({ id: file })
    await drain(outgoingEmailQueue, platform.services)
    const { body: thread } = await ann.rest.emailThread!({ id: body.threadId as string })
    expect((thread.messages as object[])[0]).toMatchObject({
      status: 'FAILED',
      failureReason: 'Not sent: an attached file is deleted.',
    })
    expect(smtp.received.filter(({ to }) => to.includes((body.to as string[])[0]!))).toEqual([])
  })
})

describe('quoteSend with files', () => {
  it('attaches them besides the PDF, up to 5 MB together, if the sender sees them', async () => {
    const organizationId = await platform.organization()
    const ann = await platform.member({ organizationId, visibility: 'OWN' })
    const file = await uploaded(ann, 'Delivery within five days.')
    const send = async (fileIds: readonly string[], by = ann) => {
      const { id } = await quote(by, { lineItems: [aLine()] })
      return by.rest.quoteSend!({ id, body: { to: `ida${++count}@customer.example`, fileIds } })
    }
    expect((await send([file])).body.status).toBe('SENT')
    const [mail] = await mailsTo(platform, `ida${count}@customer.example`)
    expect(mail!.attachments!.map(({ filename, contentType }) => [filename, contentType])).toEqual([
      [expect.stringMatching(/^Q-\d+\.pdf$/), 'application/pdf'],
      ['Terms.txt', 'text/plain'],
    ])
    expect(Buffer.from(mail!.attachments![1]!.content, 'base64').toString()).toBe('Delivery within five days.')
    const codesOf = async (answer: ReturnType<typeof send>) => {
      const { status, body } = await answer
      return [
        status,
        ...((body.errors ?? []) as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`),
      ]
    }
    const large = await uploaded(ann, Buffer.alloc(4_999_000))
    expect(await codesOf(send([large]))).toEqual([400, 'fileIds TOO_LARGE'])
    const ben = await platform.member({ organizationId, visibility: 'OWN' })
    expect(await codesOf(send([file], ben))).toEqual([400, 'fileIds.0 UNKNOWN_REFERENCE'])
  })
})

describe('a draft with files', () => {
  const codesOf = ({ status, body }: { status: number; body: { errors?: { path: string; code: string }[] } }) => [
    status,
    ...(body.errors ?? []).map(({ path, code }) => `${path} ${code}`),
  ]
  const aDraft = async (by: Member, fileIds: readonly string[], values: object = {}) =>
    by.rest.smartEmailDraftCreate!({
      body: {
        toEmails: [`ida${++count}@customer.example`],
        subject: 'Terms',
        bodyHtml: '<p>See the file.</p>',
        fileIds,
        ...values,
      },
    })
  const ofOwn = async (organizationId: string) => platform.member({ organizationId, visibility: 'OWN' })
  const draftOf = async (by: Member, id: string) => (await by.rest.smartEmailDraft!({ id })).body

  /** A file of an account of the member. */
  async function fileOfAccount(by: Member) {
    const { id: accountId } = await account(by)
    return { accountId, fileId: await uploaded(by, 'x', { relatedToType: 'ACCOUNT', relatedToId: accountId }) }
  }

  it('names them, and they are attached when it is sent', async () => {
    const ann = await ofOwn(await platform.organization())
    const file = await uploaded(ann, 'Delivery within five days.')
    const { status, body } = await aDraft(ann, [file.toUpperCase(), file])
    expect([status, body.fileIds]).toEqual([201, [file]])
    const { body: read } = await ann.graphql(
      'query ($id: ID!) { smartEmailDraft(id: $id) { files { name } } emailThreadList { total } }',
      { id: body.id },
    )
    expect(read.data.smartEmailDraft.files).toEqual([{ name: 'Terms.txt' }])
    const sent = await ann.rest.smartEmailDraftSend!({ id: body.id as string })
    expect(sent.body.status).toBe('SENDING')
    const { body: thread } = await ann.rest.emailThread!({ id: sent.body.threadId as string })
    expect((thread.messages as object[])[0]).toMatchObject({
      attachments: [{ fileId: file, filename: 'Terms.txt', contentType: 'text/plain', size: 26 }],
    })
  })

  it('refuses files that its writer could not attach', async () => {
    const organizationId = await platform.organization()
    const [ann, ben] = [await ofOwn(organizationId), await ofOwn(organizationId)]
    const [mine, ofBen, foreign] = [
      await uploaded(ann, 'x'),
      await uploaded(ben, 'x'),
      await uploaded(await platform.member(), 'x'),
    ]
    const { body: empty } = await ann.rest.fileCreate!({ body: { name: 'Later.txt' } })
    const { body: kept } = await aDraft(ann, [mine])
    for (const id of [ofBen, foreign, empty.id as string, 'x'])
      for (const call of [
        () => aDraft(ann, [mine, id]),
        () => ann.rest.smartEmailDraftUpdate!({ id: kept.id as string, body: { fileIds: [mine, id] } }),
      ])
        expect(await refusedInputs(platform, call)).toEqual([400, 'VALIDATION_FAILED', 'fileIds.1 UNKNOWN_REFERENCE'])
    const large = await uploaded(ann, Buffer.alloc(attachedBytesMax))
    expect(await refusedInputs(platform, () => aDraft(ann, [mine, large]))).toEqual([
      400,
      'VALIDATION_FAILED',
      'fileIds TOO_LARGE',
    ])
    const many = Array.from({ length: 11 }, () => mine)
    expect(await refusedInputs(platform, () => aDraft(ann, many))).toEqual([
      400,
      'VALIDATION_FAILED',
      'fileIds TOO_MANY',
    ])
    const key = await platform.member({ organizationId, scopes: ['WRITE_EMAILS'] })
    expect(await refused(platform, () => aDraft(key, [mine]))).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
    expect((await aDraft(key, [])).status).toBe(201)
  })

  it('is not sent with a file that its owner does not see any more, at once or at its time', async () => {
    const organizationId = await platform.organization()
    const [ann, ben] = [await ofOwn(organizationId), await ofOwn(organizationId)]
    const { accountId, fileId } = await fileOfAccount(ann)
    const [atOnce, later] = [await aDraft(ann, [fileId]), await aDraft(ann, [fileId])]
    const scheduledAt = new Date(platform.now.getTime() + 60_000).toISOString()
    const id = later.body.id as string
    expect((await ann.rest.smartEmailDraftSchedule!({ id, body: { scheduledAt } })).body.status).toBe('SCHEDULED')
    const given = await ann.rest.accountUpdate!({ id: accountId, body: { ownerId: ben.userId } })
    expect(given.status).toBe(200)

    const send = () => ann.rest.smartEmailDraftSend!({ id: atOnce.body.id as string })
    expect(await refusedInputs(platform, send)).toEqual([400, 'VALIDATION_FAILED', 'fileIds.0 UNKNOWN_REFERENCE'])
    await platform.query(
      `update outreach.smart_email_draft set scheduled_at = $2, next_attempt_at = $2 where organization_id = $1 and id = $3`,
      [organizationId, platform.now.toISOString(), id],
    )
    await smartEmailSendDue.run(platform.services)
    expect(await draftOf(ann, id)).toMatchObject({
      status: 'FAILED',
      messageId: null,
      failureReason: 'fileIds.0 must be the id of a READY file that you can see.',
    })
    const without = await ann.rest.smartEmailDraftUpdate!({ id, body: { fileIds: [] } })
    expect(without.body).toMatchObject({ status: 'DRAFT', fileIds: [] })
    expect((await ann.rest.smartEmailDraftSend!({ id })).body.status).toBe('SENDING')
  })

  it('is neither scheduled nor changed at its time by a key that may not read its files', async () => {
    const organizationId = await platform.organization()
    const ann = await ofOwn(organizationId)
    const wanted = { ownerId: ann.userId, name: 'Mails', scopes: ['WRITE_EMAILS', 'READ_EMAILS'] }
    const { secret } = await createApiKey(platform.services, organizationId, wanted)
    const key = restClient(platform.contract, platform.url, { 'X-API-Key': secret })
    const file = await uploaded(ann, 'Delivery within five days.')
    const [secretTerms, scheduled, plain] = [
      await aDraft(ann, [file]),
      await aDraft(ann, [file]),
      await aDraft(ann, []),
    ]
    const [id, scheduledId, plainId] = [secretTerms, scheduled, plain].map(({ body }) => body.id as string)
    const time = (minutes: number) => ({
      scheduledAt: new Date(platform.now.getTime() + minutes * 60_000).toISOString(),
    })
    const schedule = (draft: string, minutes = 60) => key.smartEmailDraftSchedule!({ id: draft, body: time(minutes) })
    const change = (draft: string, body: object) => key.smartEmailDraftUpdate!({ id: draft, body })
    expect((await ann.rest.smartEmailDraftSchedule!({ id: scheduledId!, body: time(60) })).status).toBe(200)

    const elsewhere = { toEmails: ['mallory@elsewhere.example'] }
    expect((await change(id!, elsewhere)).status).toBe(200)
    for (const call of [
      () => key.smartEmailDraftSend!({ id: id! }),
      () => schedule(id!),
      () => schedule(scheduledId!, 30),
      () => change(scheduledId!, elsewhere),
      () => change(scheduledId!, { subject: 'Other terms' }),
    ])
      expect(await refused(platform, call)).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])

    // Without the files there is nothing that it may not send.
    const without = await change(scheduledId!, { ...elsewhere, fileIds: [] })
    expect(without.body).toMatchObject({ status: 'SCHEDULED', ...elsewhere, fileIds: [] })
    expect((await schedule(scheduledId!, 30)).body.status).toBe('SCHEDULED')
    expect((await schedule(plainId!)).body.status).toBe('SCHEDULED')
    expect((await change(plainId!, elsewhere)).body).toMatchObject({ status: 'SCHEDULED', ...elsewhere })
    expect((await ann.rest.smartEmailDraftSchedule!({ id: id!, body: time(60) })).body.status).toBe('SCHEDULED')
    expect((await key.smartEmailDraftUnschedule!({ id: id! })).body.status).toBe('DRAFT')
  })

  it('is written with files that its writer could attach; others are refused before the model is asked', async () => {
    const organizationId = await platform.organization()
    const [ann, ben] = [await ofOwn(organizationId), await ofOwn(organizationId)]
    const [ofAnn, ofBen] = [await uploaded(ann, 'Terms'), await uploaded(ben, 'Secret')]
    const compose = (by: Member, fileIds: string[]) =>
      by.rest.smartEmailCompose!({ body: { purpose: 'Agree on a call', toEmails: ['ida@fjord.example'], fileIds } })
    const { status, body } = await compose(ann, [ofAnn])
    expect([status, body]).toMatchObject([201, { status: 'DRAFT', fileIds: [ofAnn] }])
    expect((await compose(ann, [])).body.fileIds).toEqual([])
    const unknown = [400, 'VALIDATION_FAILED', 'fileIds.1 UNKNOWN_REFERENCE']
    expect(await refusedInputs(platform, () => compose(ann, [ofAnn, ofBen]))).toEqual(unknown)
    const key = await platform.member({ organizationId, scopes: ['WRITE_EMAILS', 'READ_EMAILS'] })
    expect(await refused(platform, () => compose(key, [ofAnn]))).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
  })

  it('of a reply is sent only by somebody who sees its files; others may remove them', async () => {
    const organizationId = await platform.organization()
    const [ann, ben] = [await platform.member({ organizationId }), await platform.member({ organizationId })]
    const to = `ida${++count}@customer.example`
    const { body: mail } = await ann.rest.emailSend!({ body: { to: [to], subject: 'Terms', bodyText: 'Hello' } })
    const answer = { from: to, to: ['ann@fjordline.example'], subject: 'Re: Terms', text: 'Which terms?' }
    await ann.rest.emailInboundReceive!({
      query: { api_key: ann.secret },
      body: { ...answer, messageId: `<r${count}@customer.example>`, inReplyTo: mail.internetMessageId },
    })
    const { body: drafts } = await ann.rest.replyDraftList!({ query: { threadId: mail.threadId as string } })
    const draftId = (drafts.data as { id: string }[])[0]!.id
    const [ofAnn, ofBen] = [await uploaded(ann, 'x'), await uploaded(ben, 'y', { name: 'Prices.txt' })]
    const change = (by: Member, body: object) => by.rest.replyDraftUpdate!({ draftId, body })
    expect((await change(ben, { fileIds: [ofBen] })).body.fileIds).toEqual([ofBen])

    expect(await refusedInputs(platform, () => ann.rest.replyDraftSend!({ draftId }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'fileIds.0 UNKNOWN_REFERENCE',
    ])
    expect(codesOf(await change(ann, { fileIds: [ofBen, ofAnn] }))).toEqual([400, 'fileIds.0 UNKNOWN_REFERENCE'])
    expect((await change(ann, { fileIds: [ofBen], subject: 'Terms' })).status).toBe(200)
    expect((await change(ann, { fileIds: [] })).body.fileIds).toEqual([])
    expect((await change(ann, { fileIds: [ofAnn] })).body.fileIds).toEqual([ofAnn])
    const key = await platform.member({ organizationId, scopes: ['WRITE_EMAILS', 'READ_EMAILS'] })
    expect((await change(key, { subject: 'Our terms', status: 'APPROVED' })).status).toBe(200)
    expect(await refused(platform, () => key.rest.replyDraftSend!({ draftId }))).toEqual([
      403,
      'API_KEY_SCOPE_INSUFFICIENT',
    ])
    const sent = await ann.rest.replyDraftSend!({ draftId })
    expect([sent.status, sent.body.attachments]).toEqual([
      200,
      [{ fileId: ofAnn, filename: 'Terms.txt', contentType: 'text/plain', size: 1 }],
    ])
  })
})

interface Part {
  readonly head: readonly string[]
  readonly content: Buffer | string
}
const attached = (name: string, type: string, content: Buffer | string): Part => ({
  head: [
    `Content-Type: ${type}; name="${name}"`,
    `Content-Disposition: attachment; filename="${name}"`,
    'Content-Transfer-Encoding: base64',
  ],
  content: Buffer.from(content).toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
})

function mailWith(id: string, from: string, parts: readonly Part[]): Buffer {
  const head = [
    `From: Ida <${from}>`,
    'To: ann@fjordline.example',
    `Subject: Files ${id}`,
    `Message-ID: <${id}@customer.example>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="b"',
  ]
  const text: Part = { head: ['Content-Type: text/plain'], content: 'See the files.' }
  const body = [text, ...parts].flatMap((part) => ['--b', ...part.head, '', part.content.toString()])
  return Buffer.from([...head, '', ...body, '--b--', ''].join('\r\n'))
}

async function arrive(user: string, ...mails: readonly Buffer[]): Promise<void> {
  const auth = { user, pass: 'secret' }
  const client = new ImapFlow({ host: '127.0.0.1', port: imap.port, secure: false, logger: false, auth })
  await client.connect()
  for (const mail of mails) await client.append('INBOX', mail)
  await client.logout()
}

const poll = async (services: Services = platform.services): Promise<void> => {
  await platform.query('update outreach.mailbox_state set next_poll_at = null')
  await queueDuePolls.run(services)
  await drain(mailboxPollQueue, services)
}

interface Attachment {
  readonly fileId: string | null
  readonly filename: string
  readonly contentType: string
  readonly size: number
}

const stored = (messageId: string) =>
  platform.query<{ id: string; threadId: string; text: string; attachments: Attachment[] }>(
    `select id, thread_id as "threadId", body_text as text, attachments from outreach.email_message where internet_message_id = $1`,
    [`<${messageId}@customer.example>`],
  )
const filesOnDisk = ({ organizationId }: Member) =>
  platform.query('select state, bytes::int as bytes from kernel.file where organization_id = $1 order by id', [
    organizationId,
  ])

describe.skipIf(!hasDovecot)('the files of a received mail', () => {
  const received = async () => {
    const organizationId = await platform.organization()
    const ann = await platform.member({ organizationId, visibility: 'OWN' })
    const box = await aMailbox(ann)
    await poll()
    return { organizationId, ann, box, id: `m${++count}`, from: `ida${count}@customer.example` }
  }

  it('are files of the mail with their bytes, for exactly those who see the mail', async () => {
    const { organizationId, ann, box, id, from } = await received()
    const csv = Buffer.from('Größe;1\n', 'latin1')
    const large = Buffer.alloc(7_000_000, 'large ')
    await arrive(
      box.email,
      mailWith(id, from, [
        attached('sizes.csv', 'text/csv; charset=iso-8859-1', csv),
        attached('photo.png', 'image/png', '<svg onload="alert(1)">'),
        attached('plan.txt', 'text/plain', large),
        { head: ['Content-Type: message/rfc822'], content: 'Subject: Inner\r\n\r\nHello' },
        {
          head: [
            'Content-Type: application/octet-stream',
            "Content-Disposition: attachment; filename*=UTF-8''Gr%C3%B6%C3%9Fe%0A.bin",
          ],
          content: 'x',
        },
      ]),
    )
    await poll()
    const [mail] = await stored(id)
    expect(mail!.text).toBe('See the files.')
    expect(mail!.attachments).toEqual([
      { fileId: expect.any(String), filename: 'sizes.csv', contentType: 'application/octet-stream', size: csv.length },
      { fileId: expect.any(String), filename: 'photo.png', contentType: 'image/svg+xml', size: 23 },
      { fileId: expect.any(String), filename: 'plan.txt', contentType: 'text/plain', size: large.length },
      { fileId: expect.any(String), filename: 'attachment', contentType: 'text/plain', size: 23 },
      { fileId: expect.any(String), filename: 'Größe .bin', contentType: 'text/plain', size: 1 },
    ])
    const ids = mail!.attachments.map(({ fileId }) => fileId!)
    expect((await downloaded(ann, ids[0]!)) as Buffer).toEqual(csv)
    expect(((await downloaded(ann, ids[2]!)) as Buffer).equals(large)).toBe(true)
    const query =
      '{ emailThread(id: $id) { messages { files(first: 5, orderBy: [{ field: id, direction: ASC }]) { nodes { id } } } } }'
    const { body } = await ann.graphql(`query ($id: ID!) ${query}`, { id: mail!.threadId })
    expect(body.data.emailThread.messages[0].files.nodes.map((file: { id: string }) => file.id)).toEqual(ids)
    expect((await ann.rest.file!({ id: ids[0]! })).body).toMatchObject({
      relatedToType: 'EMAIL',
      relatedToId: mail!.id,
      status: 'READY',
    })
    const others = [await platform.member({ organizationId, visibility: 'OWN' }), await platform.member()]
    for (const other of others) expect(await downloaded(other, ids[0]!)).toBe(404)
    const boss = await platform.member({ organizationId })
    expect(await downloaded(boss, ids[0]!)).toEqual(csv)
    expect(await platform.eventTypesOf(ids[0]!)).toEqual(['file.created'])
  })

  it('are kept up to their limits, and a mail of ten thousand parts stops nobody', async () => {
    const { ann, box, id, from } = await received()
    const other = await received()
    const many = Array.from({ length: 25 }, (_, n) => attached(`${n}.txt`, 'text/plain', `file ${n}`))
    const huge = attached('huge.bin', 'application/octet-stream', Buffer.alloc(26_300_000))
    const parts = Array.from({ length: 10_000 }, (_, n) => attached(`${n}.txt`, 'text/plain', 'x'))
    await arrive(
      box.email,
      mailWith(`${id}many`, from, many),
      mailWith(`${id}huge`, from, [huge, attached('small.txt', 'text/plain', 'small')]),
      mailWith(`${id}parts`, from, parts),
      mailWith(`${id}after`, from, [attached('after.txt', 'text/plain', 'after')]),
    )
    await arrive(other.box.email, mailWith(other.id, other.from, [attached('theirs.txt', 'text/plain', 'theirs')]))
    for (let round = 0; round < 4; round++) await poll()
    const kept = async (messageId: string) => {
      const [mail] = await stored(messageId)
      return mail!.attachments.map(({ fileId, filename }) => [filename, fileId !== null] as const)
    }
    expect((await kept(`${id}many`)).filter(([, isKept]) => isKept)).toHaveLength(20)
    expect(await kept(`${id}many`)).toHaveLength(25)
    expect(await kept(`${id}huge`)).toEqual([
      ['huge.bin', false],
      ['small.txt', true],
    ])
    expect(await kept(`${id}parts`)).toEqual([])
    expect(await kept(`${id}after`)).toEqual([['after.txt', true]])
    expect(await kept(other.id)).toEqual([['theirs.txt', true]])
    expect(await filesOnDisk(ann)).toHaveLength(22)
  }, 120_000)

  it('leave half of the budget of the organization to its users', async () => {
    const { ann, box, id, from } = await received()
    const part = (name: string) => attached(name, 'text/plain', Buffer.alloc(20_000_000, name))
    await arrive(
      box.email,
      mailWith(`${id}a`, from, [part('1.txt'), part('2.txt')]),
      mailWith(`${id}b`, from, [part('3.txt')]),
    )
    await poll()
    const [[first], [second]] = [await stored(`${id}a`), await stored(`${id}b`)]
    const isKept = ({ fileId }: Attachment) => fileId !== null
    expect([first!.attachments.map(isKept), second!.attachments.map(isKept)]).toEqual([[true, true], [false]])
    expect(await uploaded(ann, Buffer.alloc(50_000_000))).toEqual(expect.any(String))
  }, 120_000)

  it('are stored once when the process ends at any of its steps', async () => {
    const { ann, box, id, from } = await received()
    const parts = ['a.txt', 'b.txt', 'c.txt'].map((name) => attached(name, 'text/plain', name))
    await arrive(box.email, mailWith(id, from, parts))
    const { files } = platform.services
    let calls = 0
    // The second file is on the disk, and the process knows nothing of it any more.
    const replaced: Partial<FileStore> = {
      async write(...given) {
        const written = await files.write(...given)
        if (++calls === 2) throw new Error('killed')
        return written
      },
      discard: () => Promise.reject(new Error('killed')),
    }
    const dying = new Proxy(files, {
      get(target, name: keyof FileStore) {
        const value = replaced[name] ?? target[name]
        return typeof value === 'function' ? value.bind(target as never) : value
      },
    })
    await poll({ ...platform.services, files: dying })
    expect(await stored(id)).toEqual([])
    expect(await filesOnDisk(ann)).toEqual([5, 5].map((bytes) => ({ state: 'WRITTEN', bytes })))
    await poll()
    await poll()
    const mails = await stored(id)
    expect(mails.map(({ attachments }) => attachments.map(({ filename }) => filename))).toEqual([
      ['a.txt', 'b.txt', 'c.txt'],
    ])
    // The job `files.sweep` deletes the two that no mail got.
    expect((await filesOnDisk(ann)).map(({ state }) => state)).toEqual(['WRITTEN', 'WRITTEN', 'KEPT', 'KEPT', 'KEPT'])
  })

  it('is kept with a mail by a user, too', async () => {
    const { ann, box, id, from } = await received()
    await arrive(box.email, mailWith(id, from, []))
    await poll()
    const [mail] = await stored(id)
    const file = await uploaded(ann, 'Notes', { relatedToType: 'EMAIL', relatedToId: mail!.id })
    expect((await ann.rest.fileList!({ query: { relatedToId: mail!.id } })).body.data).toEqual([
      expect.objectContaining({ id: file }),
    ])
    const { id: relatedToId } = await account(ann)
    const moved = await ann.rest.fileUpdate!({ id: file, body: { relatedToType: 'ACCOUNT', relatedToId } })
    expect(moved.body).toMatchObject({ relatedToType: 'ACCOUNT' })
  })
})
