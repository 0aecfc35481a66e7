import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import { SmtpMailer } from '../../subgraphs/kernel/mail/smtp-mailer.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { countHits as countAllHits } from '../../subgraphs/outreach/email/count-hits.ts'
import { HitCounter } from '../../subgraphs/outreach/email/hit-counter.ts'
import { contact } from '../builders.ts'
import { expectValidEvents, refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
const receiver = new SmtpReceiver()
let member: Member
let stranger: Member
let smtpUrl: string

beforeAll(async () => {
  smtpUrl = await receiver.start()
  member = await platform.member()
  stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
})
afterAll(async () => {
  await receiver.stop()
  await expectValidEvents(platform)
})

let people = 0
const anAddress = () => `person${++people}@customer.example`

const services = () => ({ ...platform.services, mailer: new SmtpMailer(smtpUrl, 'CRM <crm@platform.example>') })
const deliver = () => drain(outgoingEmailQueue, services())
const countHits = () => countAllHits(services())

async function sent(to: string, values: object = {}) {
  const { status, body } = await member.rest.emailSend!({
    body: {
      to: [to],
      subject: 'Dock slots',
      bodyHtml: '<p>Hello <a href="https://fjordline.example/a?b=1&amp;c=2">see</a></p>',
      ...values,
    },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  await deliver()
  return body
}

const textTo = (to: string) => receiver.received.findLast((mail) => mail.to.includes(to))!.text
/** The mail without the line breaks of its transfer encoding. */
const decoded = (text: string) => text.replaceAll('=\r\n', '').replaceAll('=3D', '=')
const threadOf = async (id: string) => (await member.rest.emailThread!({ id })).body
const pathIn = (text: string, kind: string) => new RegExp(`/v1/public/mail/${kind}/[\\w-]{67}`).exec(decoded(text))![0]
const person = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0' }

describe('a mail', () => {
  it('goes out once with its headers, is opened, clicked, answered and unsubscribed from', async () => {
    const to = anAddress()
    const { id: contactId } = await contact(member, { email: to })
    const mail = await sent(to)
    expect(mail).toMatchObject({ status: 'QUEUED', to: [to], cc: [], direction: 'OUTBOUND' })
    const text = textTo(to)
    expect(text).toContain(`Message-ID: ${mail.internetMessageId}\r\n`)
    expect(text).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    expect(text).toContain('<crm@platform.example>')
    expect(await threadOf(mail.threadId)).toMatchObject({
      status: 'AWAITING_RESPONSE',
      messageCount: 1,
      lastDirection: 'OUTBOUND',
      contactId,
      messages: [{ id: mail.id, status: 'SENT' }],
    })

    const open = platform.url + pathIn(text, 'open')
    const pixel = await fetch(open, { headers: person })
    expect([pixel.status, pixel.headers.get('content-type')]).toEqual([200, 'image/gif'])
    await fetch(open, { headers: { 'user-agent': 'Mozilla/5.0 (via ggpht.com GoogleImageProxy)' } })
    const click = await fetch(platform.url + pathIn(text, 'click'), { headers: person, redirect: 'manual' })
    expect([click.status, click.headers.get('location')]).toEqual([302, 'https://fjordline.example/a?b=1&c=2'])
    await countHits()
    const [opened] = (await threadOf(mail.threadId)).messages
    expect(opened).toMatchObject({ status: 'CLICKED', openCount: 1, machineOpenCount: 1 })
    expect(opened.clicks).toEqual([{ url: 'https://fjordline.example/a?b=1&c=2', at: platform.now.toISOString() }])

    const reply = {
      from: to,
      to: ['ann@fjordline.example'],
      subject: 'Re: Dock slots',
      text: 'Yes',
      messageId: '<r1@customer.example>',
    }
    const query = { api_key: member.secret }
    const inbound = (body: object) => fetchInbound(body, query)
    const auto = await inbound({
      ...reply,
      messageId: '<a1@customer.example>',
      inReplyTo: mail.internetMessageId,
      headers: { 'Auto-Submitted': 'auto-replied' },
    })
    expect(auto.body).toMatchObject({ accepted: true, threadId: mail.threadId })
    expect(await threadOf(mail.threadId)).toMatchObject({ status: 'AWAITING_RESPONSE', messageCount: 2 })
    const answer = await inbound({ ...reply, inReplyTo: mail.internetMessageId })
    expect(answer.body.threadId).toBe(mail.threadId)
    expect((await inbound({ ...reply, inReplyTo: mail.internetMessageId })).body.emailId).toBeNull()
    const answered = await threadOf(mail.threadId)
    expect(answered).toMatchObject({ status: 'REPLIED', messageCount: 3, unread: true, lastDirection: 'INBOUND' })
    expect(answered.messages.map((one: { kind: string; status: string }) => [one.kind, one.status])).toEqual([
      ['MAIL', 'REPLIED'],
      ['AUTO_REPLY', 'DELIVERED'],
      ['MAIL', 'DELIVERED'],
    ])

    const unsubscribe = platform.url + pathIn(text, 'unsubscribe')
    expect((await fetch(unsubscribe)).status).toBe(200)
    expect((await member.rest.contact!({ id: contactId })).body).toMatchObject({
      emailStatus: 'UNKNOWN',
      emailOptOut: false,
    })
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    expect((await fetch(unsubscribe, { method: 'POST', body })).status).toBe(200)
    expect((await member.rest.contact!({ id: contactId })).body).toMatchObject({
      emailStatus: 'UNSUBSCRIBED',
      emailOptOut: true,
    })
    const again = () => member.rest.emailSend!({ body: { to: [to], subject: 'More', bodyText: 'x' } })
    expect(await refusedInputs(platform, again)).toEqual([400, 'VALIDATION_FAILED', 'to.0 SUPPRESSED'])
    expect(await platform.eventTypesOf(mail.id)).toEqual([
      'email.created',
      'email.sent',
      'email.opened',
      'email.updated',
      'email.clicked',
      'email.replied',
    ])
  })

  async function fetchInbound(body: object, query: Record<string, string>) {
    const answer = await member.rest.emailInboundReceive!({ body, query, headers: { 'X-API-Key': 'ignored' } })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return answer
  }

  it.each([
    [
      'https://x.example/каталог?q=€#–',
      'https://x.example/%D0%BA%D0%B0%D1%82%D0%B0%D0%BB%D0%BE%D0%B3?q=%E2%82%AC#%E2%80%93',
    ],
    ['https://x.example/d’été/日本', 'https://x.example/d%E2%80%99%C3%A9t%C3%A9/%E6%97%A5%E6%9C%AC'],
    ['https://bücher.example/é', 'https://xn--bcher-kva.example/%C3%A9'],
    ['http://пример.example:8080/😀', 'http://xn--e1afmkfd.example:8080/%F0%9F%98%80'],
    ['https://x.example/a%20b?c=%C3%A9&d=1+2', 'https://x.example/a%20b?c=%C3%A9&d=1+2'],
  ])('redirects from its link %s to %s', async (written, expected) => {
    const to = anAddress()
    const mail = await sent(to, { bodyHtml: `<p><a href="${written.replaceAll('&', '&amp;')}">see</a></p>` })
    const click = await fetch(platform.url + pathIn(textTo(to), 'click'), { headers: person, redirect: 'manual' })
    expect([click.status, click.headers.get('location')]).toEqual([302, expected])
    await countHits()
    expect((await threadOf(mail.threadId)).messages[0].clicks).toMatchObject([{ url: written }])
  })

  it('keeps a link that no browser can open, as it was written', async () => {
    const to = anAddress()
    const mail = await sent(to, { bodyHtml: '<p><a href="https://a b.example/">see</a></p>' })
    expect(decoded(textTo(to))).toContain('href="https://a b.example/"')
    expect(decoded(textTo(to))).not.toContain('/v1/public/mail/click/')
    // The links of mails that were sent earlier are stored as they were written.
    const tracked = anAddress()
    const { id } = await sent(tracked)
    await platform.query(`update outreach.email_message set links = array['https://a b.example/'] where id = $1`, [id])
    const click = platform.url + pathIn(textTo(tracked), 'click')
    expect((await fetch(click, { headers: person, redirect: 'manual' })).status).toBe(404)
    expect((await threadOf(mail.threadId)).messages[0].status).toBe('SENT')
  })

  it('has hidden copies in its envelope, and nowhere else', async () => {
    const [to, hidden] = [anAddress(), anAddress()]
    const mail = await sent(to, { bcc: [hidden.toUpperCase(), to] })
    const received = receiver.received.findLast((one) => one.to.includes(to))!
    expect(received.to).toEqual([to, hidden])
    expect(received.text).not.toMatch(new RegExp(hidden, 'i'))
    const { body: thread } = await member.rest.emailThread!({ id: mail.threadId })
    const events = await platform.query('select data from kernel.event where record_id in ($1, $2)', [
      mail.id,
      mail.threadId,
    ])
    expect(JSON.stringify([mail, thread, events])).not.toContain(hidden)

    await member.rest.emailStatusReceive!({
      body: { messageId: mail.id, event: 'UNSUBSCRIBED' },
      query: { api_key: member.secret },
    })
    const again = () =>
      member.rest.emailSend!({ body: { to: [anAddress()], bcc: [hidden], subject: 'x', bodyText: 'x' } })
    expect(await refusedInputs(platform, again)).toEqual([400, 'VALIDATION_FAILED', 'bcc.0 SUPPRESSED'])
    const many = { to: [anAddress()], bcc: Array.from({ length: 11 }, anAddress), subject: 'x', bodyText: 'x' }
    expect((await refusedInputs(platform, () => member.rest.emailSend!({ body: many })))[0]).toBe(400)
  })

  it('is not sent when a hidden copy was suppressed after it was queued', async () => {
    const [to, hidden] = [anAddress(), anAddress()]
    const { body: mail } = await member.rest.emailSend!({
      body: { to: [to], bcc: [hidden], subject: 'x', bodyText: 'x' },
    })
    await platform.query(
      `insert into outreach.suppressed_address (organization_id, email, reason, created_at) values ($1, $2, 'MANUAL', now())`,
      [member.organizationId, hidden],
    )
    await deliver()
    expect((await threadOf(mail.threadId)).messages[0].status).toBe('FAILED')
    expect(receiver.received.filter((one) => one.to.includes(to))).toEqual([])
  })

  it('a status never moves backwards, and a hard bounce suppresses the address', async () => {
    const to = anAddress()
    const { id: contactId } = await contact(member, { email: to })
    const mail = await sent(to)
    const report = async (input: object) => {
      const answer = await member.rest.emailStatusReceive!({
        query: { api_key: member.secret },
        body: { messageId: mail.id, ...input },
      })
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      return (await threadOf(mail.threadId)).messages[0]
    }
    expect((await report({ event: 'OPENED' })).status).toBe('OPENED')
    expect(await report({ event: 'DELIVERED' })).toMatchObject({
      status: 'OPENED',
      deliveredAt: platform.now.toISOString(),
    })
    expect(await report({ event: 'BOUNCED', bounceType: 'SOFT' })).toMatchObject({
      status: 'OPENED',
      bounceType: 'SOFT',
    })
    expect(await report({ event: 'BOUNCED', reason: '550 gone' })).toMatchObject({
      status: 'BOUNCED',
      bounceReason: '550 gone',
    })
    expect((await report({ event: 'CLICKED', url: 'https://a.example/' })).status).toBe('BOUNCED')
    expect((await member.rest.contact!({ id: contactId })).body.emailStatus).toBe('BOUNCED')
    const { body } = await member.rest.emailSuppressionList!({ query: { email: to } })
    expect(body.data).toMatchObject([{ email: to, reason: 'BOUNCED', messageId: mail.id }])
  })

  it('a mail that the server accepted is not sent again when the worker runs twice', async () => {
    const to = anAddress()
    const mail = await sent(to)
    await platform.query(
      `update outreach.outgoing_email set state = 'QUEUED', is_due = true, attempts = 0, finished_at = null where id = $1`,
      [mail.id],
    )
    await deliver()
    expect(receiver.received.filter((one) => one.to.includes(to))).toHaveLength(1)
  })
})

describe('opens', () => {
  const openOf = async () => {
    const to = anAddress()
    const mail = await sent(to)
    return { mail, url: platform.url + pathIn(textTo(to), 'open') }
  }
  const openCount = async ({ id, threadId }: { id: string; threadId: string }) =>
    (await threadOf(threadId)).messages.find((each: { id: string }) => each.id === id).openCount
  const waiting = () =>
    platform.query('select message_id as "messageId", attempts from outreach.tracking_hit where organization_id = $1', [
      member.organizationId,
    ])

  it('are counted once each, however many workers count them', async () => {
    const { mail, url } = await openOf()
    const opens = 30
    for (let n = 0; n < opens; n++) await fetch(url, { headers: person })
    // Not an open: nothing is shown.
    expect((await fetch(url, { method: 'HEAD', headers: person })).status).toBe(200)
    await Promise.all(Array.from({ length: 6 }, countHits))
    await countHits()
    expect(await openCount(mail)).toBe(opens)
    expect(await waiting()).toEqual([])
  })

  it('are counted 100 times an hour for one mail; further ones show the picture', async () => {
    const { mail, url } = await openOf()
    const answers = await Promise.all(Array.from({ length: 103 }, () => fetch(url, { headers: person })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    for (let rounds = 0; (await waiting()).length > 0 && rounds < 10; rounds++) await countHits()
    expect(await openCount(mail)).toBe(100)
    platform.advanceClock(3_600_000)
    await fetch(url, { headers: person })
    await countHits()
    expect(await openCount(mail)).toBe(101)
  })

  it('are counted by a worker without being told', async () => {
    const { mail, url } = await openOf()
    const counter = new HitCounter(services())
    try {
      await fetch(url, { headers: person })
      await vi.waitFor(async () => expect(await openCount(mail)).toBe(1), { timeout: 10_000 })
    } finally {
      await counter.close()
    }
  })

  it('of an organization whose mails are locked wait, and do not delay those of others', async () => {
    const { mail, url } = await openOf()
    await fetch(url, { headers: person })
    const first = '00000000-0000-7000-8000-000000000001'
    await platform.query(
      `insert into outreach.tracking_hit (organization_id, id, message_id, is_machine, seen_at) values ($1, $1, $1, false, now())`,
      [first],
    )
    await platform.inSeparateTransaction(async (sql) => {
      await sql.query('select from outreach.email_message where id = $1 for update', [mail.id])
      await countHits()
      // The mail of the first organization does not exist, so its hit is left out.
      expect(await platform.query('select from outreach.tracking_hit where organization_id = $1', [first])).toEqual([])
      expect(await waiting()).toEqual([{ messageId: mail.id, attempts: 0 }])
    })
    await countHits()
    expect(await openCount(mail)).toBe(1)
  })

  it('that cannot be counted wait, hold up no others, and are left out after ten attempts', async () => {
    const [broken, other] = [await openOf(), await openOf()]
    await platform.query(`create function public.refuse_mail() returns trigger language plpgsql as
      $$ begin if new.id = '${broken.mail.id}' then raise 'broken'; end if; return new; end $$`)
    await platform.query(`create trigger refuse_mail before update on outreach.email_message
      for each row execute function public.refuse_mail()`)
    try {
      for (const { url } of [broken, other, broken, other]) await fetch(url, { headers: person })
      await countHits()
      expect([await openCount(broken.mail), await openCount(other.mail)]).toEqual([0, 2])
      const once = { messageId: broken.mail.id, attempts: 1 }
      expect(await waiting()).toEqual([once, once])
      await countHits()
      expect(await waiting()).toEqual([once, once])

      await platform.query('update outreach.tracking_hit set attempts = 9, next_attempt_at = now()')
      await countHits()
      expect(await waiting()).toEqual([])
      expect(await openCount(broken.mail)).toBe(0)
    } finally {
      await platform.query('drop function public.refuse_mail cascade')
    }
  })
})

describe('hostile input', () => {
  it.each([
    [{ subject: 'a\r\nBcc: eve@example.com' }, 'subject NOT_ONE_LINE'],
    [{ to: ['Eve <eve@example.com>'] }, 'to.0 NOT_AN_EMAIL'],
    [{ to: ['a@example.com, eve@example.com'] }, 'to.0 NOT_AN_EMAIL'],
    [{ bodyHtml: null, bodyText: null }, 'bodyHtml REQUIRED'],
    [{ bcc: ['a@example.com\r\nTo: eve@example.com'] }, 'bcc.0 NOT_AN_EMAIL'],
  ])('refuses %j', async (values, problem) => {
    const body = { to: [anAddress()], subject: 'x', bodyHtml: '<p>x</p>', ...values }
    expect(await refusedInputs(platform, () => member.rest.emailSend!({ body }))).toEqual([
      400,
      'VALIDATION_FAILED',
      problem,
    ])
  })

  it.each([
    ['elements', '<div>'.repeat(49_000)],
    ['elements whose ends are in comments', '<div><!--</div>-->'.repeat(13_000)],
  ])(
    'HTML of %s inside one another is refused from a user, and only the text is stored of a received mail',
    async (_of, html) => {
      const to = anAddress()
      const deep = () => member.rest.emailSend!({ body: { to: [to], subject: 'x', bodyHtml: html } })
      expect(await refusedInputs(platform, deep)).toEqual([400, 'VALIDATION_FAILED', 'bodyHtml TOO_DEEP'])
      const draft = (await member.rest.smartEmailCompose!({ body: { toEmails: [to] } })).body
      const change = () =>
        member.rest.smartEmailDraftUpdate!({ id: draft.id, body: { bodyHtml: html.slice(0, 50_000) } })
      expect(await refusedInputs(platform, change)).toEqual([400, 'VALIDATION_FAILED', 'bodyHtml TOO_DEEP'])

      const received = await member.rest.emailInboundReceive!({
        body: { from: to, to: ['ann@fjordline.example'], subject: 'Deep', html: `Read this${html}` },
        query: { api_key: member.secret },
      })
      expect(received.status, JSON.stringify(received.body)).toBe(200)
      const [message] = (await threadOf(received.body.threadId)).messages
      expect(message.bodyHtml).toBeNull()
      expect(message.bodyText).toMatch(/^Read this/)
    },
  )

  it('a template that makes HTML of many elements inside one another is refused', async () => {
    const values = { name: 'Deep', subject: 'x', bodyHtml: '{% for i in (1..501) %}<div>{% endfor %}' }
    const { id } = (await member.rest.emailTemplateCreate!({ body: values })).body
    const preview = () => member.rest.emailTemplatePreview!({ id, body: {} })
    expect((await refusedInputs(platform, preview)).slice(0, 2)).toEqual([400, 'VALIDATION_FAILED'])
  })

  it('a forged token redirects nowhere and counts nothing', async () => {
    const mail = await sent(anAddress())
    const path = pathIn(textTo(mail.to[0]), 'click')
    const forged = `${path.slice(0, -1)}${path.endsWith('A') ? 'Q' : 'A'}`
    expect((await fetch(platform.url + forged, { redirect: 'manual' })).status).toBe(404)
    // A token of one kind is not one of another kind.
    expect((await fetch(platform.url + path.replace('/click/', '/unsubscribe/'))).status).toBe(404)
  })

  it('another organization sees neither threads nor mails, and its key reports on none', async () => {
    const mail = await sent(anAddress())
    expect((await stranger.rest.emailThread!({ id: mail.threadId })).status).toBe(404)
    const report = { query: { api_key: stranger.secret }, body: { messageId: mail.id, event: 'BOUNCED' } }
    expect((await member.rest.emailStatusReceive!(report)).status).toBe(404)
  })

  it('a webhook without a valid key is refused, and the key is not in the answer', async () => {
    const call = { body: { messageId: 'x', event: 'OPENED' }, query: { api_key: 'crm_live_wrong' } }
    const { status, body } = await member.rest.emailStatusReceive!(call)
    expect([status, JSON.stringify(body).includes('crm_live_wrong')]).toEqual([401, false])
    // The client sends its key in the header, which does not count here.
    const without = await member.rest.emailStatusReceive!({ body: call.body })
    expect([without.status, without.body.code, without.body.detail]).toEqual([
      401,
      'UNAUTHENTICATED',
      'Send the API key in the query of the address: ?api_key=<key>. Headers are not read.',
    ])
  })
})

describe('emailThreadAwaitingResponse', () => {
  it('lists threads without a reply for 48 hours', async () => {
    const mail = await sent(anAddress())
    const ids = async (query: Record<string, number>) =>
      (await member.rest.emailThreadAwaitingResponse!({ query: { limit: 100, ...query } })).body.data.map(
        (one: { id: string }) => one.id,
      )
    expect(await ids({})).not.toContain(mail.threadId)
    platform.advanceClock(49 * 3_600_000)
    expect(await ids({})).toContain(mail.threadId)
    expect(await ids({ afterHours: 50 })).not.toContain(mail.threadId)
  })
})
