import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs } from '../../subgraphs/all.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { contact } from '../builders.ts'
import { expectValidEvents } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aSequence, run } from './sequence.fixture.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member({ organizationId: await platform.organization('Templates in use') })
})
afterAll(() => expectValidEvents(platform))

let people = 0

async function aTemplate() {
  const values = { name: 'Slots', status: 'ACTIVE', isShared: true, subject: 'Slots', bodyHtml: '<p>Hello</p>' }
  const { status, body } = await member.rest.emailTemplateCreate!({ body: values })
  expect(status, JSON.stringify(body)).toBe(201)
  expect(body).toMatchObject({ usageCount: 0, stats: noFigures })
  return body.id as string
}

async function sentWith(templateId: string) {
  const { status, body } = await member.rest.emailSend!({
    body: { to: [`figure${++people}@customer.example`], templateId },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id as string
}

async function report(messageId: string, event: string, more: object = {}) {
  const answer = await fetch(`${platform.url}/v1/email-tracking/webhook/status?api_key=${member.secret}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messageId, event, ...more }),
  })
  expect(answer.status, await answer.text()).toBe(200)
}

const figuresOf = async (id: string, by = member) => {
  const { usageCount, stats } = (await by.rest.emailTemplate!({ id })).body
  return { usageCount, stats }
}

const noFigures = {
  sent: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  replied: 0,
  bounced: 0,
  openRate: null,
  clickRate: null,
  replyRate: null,
  bounceRate: null,
}

describe('usageCount and stats of a template', () => {
  it('count its mails by users and sequences, and what became of them', async () => {
    const [id, other] = [await aTemplate(), await aTemplate()]
    expect((await member.rest.emailTemplatePreview!({ id, body: {} })).status).toBe(200)
    const clone = (await member.rest.emailTemplateClone!({ id })).body
    expect(await figuresOf(id)).toEqual({ usageCount: 0, stats: noFigures })

    const [clicked, bounced, plain] = [await sentWith(id), await sentWith(id), await sentWith(id)]
    expect(await figuresOf(id)).toEqual({ usageCount: 3, stats: noFigures })
    await drain(outgoingEmailQueue, platform.services)
    await report(clicked, 'DELIVERED')
    await report(clicked, 'CLICKED', { url: 'https://fjordline.example/slots' })
    await report(clicked, 'CLICKED', { url: 'https://fjordline.example/slots' })
    await report(bounced, 'BOUNCED', { bounceType: 'HARD' })
    await report(plain, 'BOUNCED', { bounceType: 'SOFT' })
    const expected = {
      usageCount: 3,
      stats: {
        ...noFigures,
        sent: 3,
        delivered: 1,
        opened: 1,
        clicked: 1,
        bounced: 1,
        openRate: 0.3333,
        clickRate: 0.3333,
        replyRate: 0,
        bounceRate: 0.3333,
      },
    }
    expect(await figuresOf(id)).toEqual(expected)

    const sequence = await aSequence(member, [{ type: 'EMAIL', templateId: id }])
    const person = await contact(member, { email: `figure${++people}@customer.example` })
    const body = { entityType: 'CONTACT', entityId: person.id }
    expect((await member.rest.sequenceEnroll!({ id: sequence.id, body })).status).toBe(201)
    await run(platform)
    expect(await figuresOf(id)).toEqual({ ...expected, usageCount: 4 })
    // Only organizations with many differences are merged.
    await platform.query(
      `insert into outreach.email_message_totals (organization_id, template_id, n) select $1, $2, 0 from generate_series(1, 25)`,
      [member.organizationId, id],
    )
    await jobs.find(({ name }) => name === 'totals.merge')!.run(platform.services)
    const kinds = `select distinct kind from outreach.email_message_totals where template_id = $1`
    expect(await platform.query(kinds, [id])).toEqual([{ kind: 'GROUP' }])
    expect(await figuresOf(id)).toEqual({ ...expected, usageCount: 4 })

    const listed = (await member.rest.emailTemplateList!({ query: { limit: 100 } })).body.data
    const counts = listed.map((one: { id: string; usageCount: number }) => [one.id, one.usageCount])
    expect(new Map(counts)).toEqual(
      new Map([
        [id, 4],
        [other, 0],
        [clone.id, 0],
      ]),
    )
  })

  it('change the ETag, but not the version', async () => {
    const id = await aTemplate()
    const before = await member.rest.emailTemplate!({ id })
    await sentWith(id)
    const after = await member.rest.emailTemplate!({ id })
    expect(after.body.version).toBe(before.body.version)
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
  })
})

it('a mail by a template is sent once under an idempotency key, although its links contain its id', async () => {
  const templateId = await aTemplate()
  const to = [`figure${++people}@customer.example`]
  const call = { body: { to, templateId }, headers: { 'idempotency-key': 'by-template' } }
  const sent = [await member.rest.emailSend!(call), await member.rest.emailSend!(call)]
  expect(sent.map(({ status }) => status)).toEqual([201, 201])
  expect(sent[0]!.body.id).toBe(sent[1]!.body.id)
})
