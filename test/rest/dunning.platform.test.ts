import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runDunning } from '../../subgraphs/commerce/dunning/dunning.job.ts'
import { invoiceOverdue } from '../../subgraphs/commerce/invoice/invoice-overdue.job.ts'
import { account, contact, each, sentInvoice } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs } from '../expectations.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
const began = new Date('2027-02-01T10:00:00.000Z')

beforeAll(() => {
  platform.now = began
})
// Each test has an organization of its own, because a run concerns all of its invoices.
let organizations = 0
beforeEach(async () => {
  platform.now = began
  const organizationId = await platform.organization(`Dunning ${++organizations}`)
  member = await platform.member({ organizationId, role: 'ADMIN' })
})
afterAll(() => expectValidEvents(platform))

const configure = async (body: object) => {
  const answer = await member.rest.dunningUpdate!({ body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}
/** An invoice that was due on this day, mailed to an address of its own. */
async function due(day: string, values: object = {}) {
  const email = `c${++organizations}@customer.example`
  const { id: contactId } = await contact(member, { email })
  const issueDate = new Date(Date.parse(day) - 30 * 86_400_000).toISOString()
  return { ...(await sentInvoice(member, { contactId, issueDate, dueDate: day, ...values })), email }
}
const after = (days: number, time = '10:00') => {
  platform.now = new Date(began.getTime() + days * 86_400_000)
  platform.now.setUTCHours(Number(time.slice(0, 2)), Number(time.slice(3)))
}
const levelOf = async (id: string) => (await member.rest.invoice!({ id })).body.dunningLevel as number
const reminders = async (email: string) =>
  (await mailsTo(platform, email)).map(({ subject }) => subject).filter((subject) => subject.includes('eminder'))

describe('the dunning configuration', () => {
  it('has the documented defaults', async () => {
    const { body } = await member.rest.dunningConfiguration!({})
    expect(body).toMatchObject({
      enabled: false,
      gracePeriodDays: 3,
      minimumAmount: 0,
      stopOnPartialPayment: false,
      pauseWhileDisputed: true,
      markUncollectibleAfterDays: 120,
      version: 1,
    })
    const steps = body.steps as { level: number; daysOverdue: number; tone: string }[]
    expect(steps.map(({ level, daysOverdue, tone }) => [level, daysOverdue, tone])).toEqual([
      [1, 3, 'FRIENDLY'],
      [2, 10, 'FIRM'],
      [3, 21, 'URGENT'],
      [4, 45, 'FINAL'],
    ])
  })

  it('changes only what is named', async () => {
    await configure({ enabled: true, gracePeriodDays: 7, markUncollectibleAfterDays: null })
    const body = await configure({ gracePeriodDays: 3, sendTime: '07:30' })
    expect(body).toMatchObject({
      enabled: true,
      gracePeriodDays: 3,
      sendTime: '07:30',
      markUncollectibleAfterDays: null,
    })
    expect(body.version).toBe(3)
    expect((await member.rest.dunningConfiguration!({})).body).toEqual(body)
  })

  it.each([
    [{ steps: [{ level: 2, daysOverdue: 3, tone: 'FIRM' }] }, ['steps.0.level OUT_OF_ORDER']],
    [
      {
        steps: [
          { level: 1, daysOverdue: 5, tone: 'FIRM' },
          { level: 2, daysOverdue: 5, tone: 'FINAL', fee: { type: 'NONE', value: 1 } },
        ],
      },
      ['steps.1.daysOverdue OUT_OF_ORDER', 'steps.1.fee.value NOT_ALLOWED'],
    ],
    [
      { steps: [{ level: 1, daysOverdue: 5, tone: 'FIRM', fee: { type: 'PERCENT', value: 101 } }] },
      ['steps.0.fee.value OUT_OF_RANGE'],
    ],
    [
      { steps: [{ level: 1, daysOverdue: 5, tone: 'FIRM', templateId: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41' }] },
      ['steps.0.templateId UNKNOWN_REFERENCE'],
    ],
    [{ timezone: 'Mars/Olympus' }, ['timezone NOT_A_TIMEZONE']],
    [
      {
        excludeAccountIds: ['019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'],
        steps: [{ level: 1, daysOverdue: 5, tone: 'FIRM', escalateToUserId: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41' }],
      },
      ['excludeAccountIds.0 UNKNOWN_REFERENCE', 'steps.0.escalateToUserId UNKNOWN_REFERENCE'],
    ],
  ])('refuses %j', async (body, problems) => {
    const before = (await member.rest.dunningConfiguration!({})).body
    expect((await refusedInputs(platform, () => member.rest.dunningUpdate!({ body }))).slice(2)).toEqual(problems)
    expect((await member.rest.dunningConfiguration!({})).body).toEqual(before)
  })

  it('is changed by owners and admins only', async () => {
    const { organizationId } = member
    const other = await platform.member({ organizationId, role: 'MEMBER' })
    const change = () => other.rest.dunningUpdate!({ body: { enabled: true } })
    expect(await refused(platform, change)).toEqual([403, 'PERMISSION_DENIED'])
  })
})

describe('invoiceRemind', () => {
  it('sends one reminder a day, of the level that the days have reached', async () => {
    const { id, email } = await due('2027-01-19')
    const { body } = await member.rest.invoiceRemind!({ id })
    expect(body).toMatchObject({ level: 2, tone: 'FIRM', sentTo: email, fee: 0, interest: 0 })
    expect(body.invoice).toMatchObject({
      reminderCount: 1,
      dunningLevel: 2,
      lastReminderAt: platform.now.toISOString(),
    })
    expect(await refused(platform, () => member.rest.invoiceRemind!({ id }))).toEqual([409, 'TOO_SOON'])
    expect((await member.rest.invoiceRemind!({ id })).body.retryAt).toBe('2027-02-02T00:00:00.000Z')
    after(1)
    expect((await member.rest.invoiceRemind!({ id })).body).toMatchObject({ level: 2, invoice: { reminderCount: 2 } })
    expect(await reminders(email)).toHaveLength(2)
    expect((await platform.eventTypesOf(id)).filter((type) => type === 'invoice.reminder_sent')).toHaveLength(2)
  })

  it('adds the fee of a level once, and claims interest', async () => {
    await configure({
      interestRatePercent: 10,
      steps: [{ level: 1, daysOverdue: 3, tone: 'FIRM', fee: { type: 'PERCENT', value: 2 } }],
    })
    const { id, email } = await due('2027-01-19')
    const { body } = await member.rest.invoiceRemind!({ id })
    // 2 % of 119, and 13 days of 10 % a year on 119.
    expect(body).toMatchObject({ fee: 2.38, interest: 0.42, invoice: { dunningFees: 2.38, amountDue: 119 } })
    expect((await mailsTo(platform, email)).at(-1)!.text).toContain('Together: $121.80')
    after(1)
    expect((await member.rest.invoiceRemind!({ id })).body).toMatchObject({
      fee: 0,
      interest: 0.46,
      invoice: { dunningFees: 2.38, dunningInterest: 0.46, amountDue: 119 },
    })
  })

  it('sends, charges and changes nothing for a customer without an email address, and says why', async () => {
    await configure({
      interestRatePercent: 10,
      steps: [{ level: 1, daysOverdue: 3, tone: 'FIRM', fee: { type: 'FIXED', value: 5 } }],
    })
    const { id } = await sentInvoice(member, { issueDate: '2026-12-20', dueDate: '2027-01-19' })
    const before = (await member.rest.invoice!({ id })).body
    const { status, body } = await member.rest.invoiceRemind!({ id })
    expect([status, body]).toEqual([
      200,
      { level: 1, tone: 'FIRM', sentTo: null, skippedReason: 'NO_EMAIL', fee: 0, interest: 0, invoice: before },
    ])
    expect((await member.rest.invoice!({ id })).body).toEqual(before)
    expect(await platform.eventTypesOf(id)).not.toContain('invoice.reminder_sent')
    expect((await member.rest.taskList!({ query: {} })).body.data).toEqual([])
    // As soon as there is an address, the same level is sent, with its fee.
    await member.rest.invoiceSend!({ id, body: { to: 'late@customer.example' } })
    expect((await member.rest.invoiceRemind!({ id })).body).toMatchObject({
      level: 1,
      sentTo: 'late@customer.example',
      skippedReason: null,
      fee: 5,
    })
  })

  it('tells the owner at a level that says so, once, also when the customer has no email address', async () => {
    await configure({ steps: [{ level: 1, daysOverdue: 3, tone: 'FINAL', notifyOwner: true }] })
    const { id, invoiceNumber } = await sentInvoice(member, { issueDate: '2026-12-20', dueDate: '2027-01-19' })
    for (let count = 0; count < 2; count++)
      expect((await member.rest.invoiceRemind!({ id })).body).toMatchObject({ sentTo: null, skippedReason: 'NO_EMAIL' })
    const [owner] = await platform.query<{ email: string }>('select email from identity.admin_user where id = $1', [
      member.userId,
    ])
    const notices = (await mailsTo(platform, owner!.email)).filter(({ subject }) => subject.includes(invoiceNumber))
    expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('nobody got the reminder of level 1')])
  })

  it('is refused for blocked, disputed, excluded and closed invoices', async () => {
    const blocked = await due('2027-01-19')
    await member.rest.invoiceUpdate!({ id: blocked.id, body: { dunningBlocked: true } })
    const disputed = await due('2027-01-19')
    await member.rest.invoiceDispute!({ id: disputed.id, body: { reason: 'Damaged.' } })
    const excluded = await due('2027-01-19')
    await configure({ excludeAccountIds: [excluded.customerId] })
    const paid = await due('2027-01-19')
    await member.rest.invoicePayment!({ id: paid.id, body: { amount: 119 } })
    for (const { id } of [blocked, disputed, excluded, paid])
      expect(await refused(platform, () => member.rest.invoiceRemind!({ id }))).toEqual([409, 'INVALID_STATE'])
    await member.rest.invoiceResolveDispute!({ id: disputed.id })
    expect((await member.rest.invoiceRemind!({ id: disputed.id })).status).toBe(200)
  })
})

describe('the run', () => {
  it('reminds by level, after the grace period, from the local time on, not at weekends', async () => {
    await configure({ enabled: true, sendTime: '09:30', timezone: 'Europe/Oslo', gracePeriodDays: 5 })
    const { id, email } = await due('2027-02-01')
    const levels: number[] = []
    // 2027-02-06 is a Saturday; 08:30 UTC is 09:30 in Oslo.
    for (const [day, time] of [
      [4, '10:00'],
      [5, '10:00'],
      [7, '08:29'],
      [7, '08:30'],
      [7, '12:00'],
      [9, '10:00'],
      [11, '10:00'],
      [22, '10:00'],
      [45, '10:00'],
      [46, '10:00'],
    ] as const) {
      after(day, time)
      await runDunning(platform.services)
      levels.push(await levelOf(id))
    }
    expect(levels).toEqual([0, 0, 0, 1, 1, 1, 2, 3, 4, 4])
    expect(await reminders(email)).toHaveLength(4)
    after(122)
    await runDunning(platform.services)
    // The key has expired by then.
    expect(await platform.query('select status from commerce.invoice where id = $1', [id])).toEqual([
      { status: 'UNCOLLECTIBLE' },
    ])
  })

  it('leaves out what the configuration leaves out', async () => {
    const invoices = await each(['plain', 'small', 'blocked', 'disputed', 'partly', 'excluded'], async (name) => ({
      name,
      ...(await due('2027-01-19', name === 'small' ? { lineItems: [{ name: 'S', quantity: 1, unitPrice: 9 }] } : {})),
    }))
    const idOf = (wanted: string) => invoices.find(({ name }) => name === wanted)!
    await member.rest.invoiceUpdate!({ id: idOf('blocked').id, body: { dunningBlocked: true } })
    await member.rest.invoiceDispute!({ id: idOf('disputed').id })
    await member.rest.invoicePayment!({ id: idOf('partly').id, body: { amount: 1 } })
    await configure({
      enabled: true,
      minimumAmount: 10,
      stopOnPartialPayment: true,
      excludeAccountIds: [idOf('excluded').customerId],
    })
    await runDunning(platform.services)
    expect(await each(invoices, async ({ name, id }) => [name, await levelOf(id)])).toEqual([
      ['plain', 2],
      ['small', 0],
      ['blocked', 0],
      ['disputed', 0],
      ['partly', 0],
      ['excluded', 0],
    ])
  })

  it('creates the task and the notices of a level', async () => {
    const boss = await platform.member({ organizationId: member.organizationId })
    const [user] = await platform.query<{ email: string }>('select email from identity.admin_user where id = $1', [
      boss.userId,
    ])
    await configure({
      enabled: true,
      steps: [{ level: 1, daysOverdue: 3, tone: 'FINAL', createTask: true, escalateToUserId: boss.userId }],
    })
    const { id, invoiceNumber, customerId } = await due('2027-01-19')
    await runDunning(platform.services)
    const { data } = (await member.rest.taskList!({ query: {} })).body
    expect(data).toMatchObject([
      {
        subject: `Collect invoice ${invoiceNumber}, 13 days overdue`,
        assignedToId: boss.userId,
        relatedToType: 'INVOICE',
        relatedToId: id,
        accountId: customerId,
        priority: 'URGENT',
        source: 'WORKFLOW',
      },
    ])
    expect((await mailsTo(platform, user!.email)).map(({ subject }) => subject)).toContain(
      `Invoice ${invoiceNumber} reached dunning level 1`,
    )
  })

  it('leaves an invoice alone whose customer has no email address', async () => {
    await configure({
      enabled: true,
      steps: [{ level: 1, daysOverdue: 3, tone: 'FIRM', fee: { type: 'FIXED', value: 5 } }],
    })
    const { id } = await sentInvoice(member, { issueDate: '2026-12-20', dueDate: '2027-01-19' })
    const before = (await member.rest.invoice!({ id })).body
    await runDunning(platform.services)
    expect((await member.rest.invoice!({ id })).body).toEqual(before)
    expect((await member.rest.taskList!({ query: {} })).body.data).toEqual([])
  })

  it('creates the task of a level once, and charges nothing, if the customer has no email address', async () => {
    await configure({
      enabled: true,
      steps: [{ level: 1, daysOverdue: 3, tone: 'FIRM', createTask: true, fee: { type: 'FIXED', value: 5 } }],
    })
    const { id } = await sentInvoice(member, { issueDate: '2026-12-20', dueDate: '2027-01-19' })
    await runDunning(platform.services)
    after(1)
    await runDunning(platform.services)
    expect((await member.rest.invoice!({ id })).body).toMatchObject({
      dunningLevel: 1,
      dunningFees: 0,
      dunningInterest: 0,
      reminderCount: 0,
      lastReminderAt: null,
    })
    expect((await member.rest.taskList!({ query: {} })).body.data).toMatchObject([{ relatedToId: id }])
    expect(await platform.eventTypesOf(id)).not.toContain('invoice.reminder_sent')
  })

  it('sends nothing twice, also when several workers run at once', async () => {
    await configure({ enabled: true })
    const invoices = await each(Array.from({ length: 12 }), () => due('2027-01-19'))
    await Promise.all(Array.from({ length: 4 }, () => runDunning(platform.services)))
    await runDunning(platform.services)
    for (const { id, email } of invoices) {
      expect((await member.rest.invoice!({ id })).body).toMatchObject({ dunningLevel: 2, reminderCount: 1 })
      expect(await reminders(email)).toHaveLength(1)
    }
  })
})

describe('a run over many invoices', () => {
  it('ends after its time, and the next tick continues behind the last invoice', async () => {
    await configure({ enabled: true })
    const invoices = await each(
      Array.from({ length: 5 }, () => 0),
      () => due('2027-01-19'),
    )
    const levels = () => each(invoices, ({ id }) => levelOf(id))
    const slice = () => runDunning(platform.services, { batchSize: 2, sliceMs: 0 })
    await slice()
    expect(await levels()).toEqual([2, 2, 0, 0, 0])
    // What the first slice handled is not looked at again, even if it would be due.
    await platform.query('update commerce.invoice set dunning_level = 0, last_reminder_at = null where id = $1', [
      invoices[0]!.id,
    ])
    await slice()
    await slice()
    expect(await levels()).toEqual([0, 2, 2, 2, 2])
    const ended = 'select finished_at is not null as ended from commerce.dunning_run where organization_id = $1'
    expect(await platform.query(ended, [member.organizationId])).toEqual([{ ended: true }])
  })

  it('obeys a configuration that changes meanwhile', async () => {
    await configure({ enabled: true })
    const invoices = await each([1, 2, 3], () => due('2027-01-19'))
    await runDunning(platform.services, { batchSize: 1, sliceMs: 0 })
    await configure({ enabled: false })
    await runDunning(platform.services, { batchSize: 1, sliceMs: 60_000 })
    expect(await each(invoices, ({ id }) => levelOf(id))).toEqual([2, 0, 0])
  })
})

describe('the template of a level', () => {
  const template = async (values: object = {}) => {
    const given = {
      name: 'Reminder',
      status: 'ACTIVE',
      subject: 'Please pay {{ invoice.invoiceNumber }}',
      bodyHtml:
        '<p>{{ contact.lastName }} of {{ organization.name }}: {{ invoice.totalDue }} since {{ invoice.dueDate }}</p>',
    }
    const { status, body } = await member.rest.emailTemplateCreate!({ body: { ...given, ...values } })
    expect(status, JSON.stringify(body)).toBe(201)
    return body
  }
  const step = (templateId: string) => ({
    level: 1,
    daysOverdue: 3,
    tone: 'FIRM',
    fee: { type: 'FIXED', value: 5 },
    templateId,
  })
  const lastMail = async (email: string) => (await mailsTo(platform, email)).at(-1)!

  it('is the text of its reminders, by hand and automatically', async () => {
    const { id: templateId } = await template()
    expect((await configure({ enabled: true, steps: [step(templateId)] })).steps[0].templateId).toBe(templateId)
    const [first, second, third] = await each([1, 2, 3], () => due('2027-01-19'))
    const expected = ({ invoiceNumber }: { invoiceNumber: string }) => ({
      subject: `Please pay ${invoiceNumber}`,
      html: expect.stringMatching(/ of Dunning \d+: \$124\.00 since 2027-01-19/),
    })
    expect((await member.rest.invoiceRemind!({ id: first!.id })).status).toBe(200)
    expect(await lastMail(first!.email)).toMatchObject(expected(first!))
    const headers = { 'Idempotency-Key': 'remind' }
    expect((await member.rest.invoiceRemind!({ id: second!.id, headers })).status).toBe(200)
    expect(await lastMail(second!.email)).toMatchObject(expected(second!))
    await runDunning(platform.services)
    expect(await lastMail(third!.email)).toMatchObject(expected(third!))
    expect(await mailsTo(platform, third!.email)).toHaveLength(2)
    const counted = (await member.rest.emailTemplate!({ id: templateId })).body
    expect([counted.usageCount, counted.stats.sent]).toEqual([3, 0])
  })

  it.each([
    [
      'is not ACTIVE any more',
      {},
      (id: string) => member.rest.emailTemplateUpdate!({ id, body: { status: 'ARCHIVED' } }),
    ],
    ['was deleted', {}, (id: string) => member.rest.emailTemplateDelete!({ id })],
    ['lacks a value', { bodyHtml: '<p>{{ contact.title }} {{ weather }}</p>' }, () => null],
  ])('is replaced by the built-in text if it %s', async (_case, values, change) => {
    const { id: templateId } = await template(values)
    await configure({ steps: [step(templateId)] })
    await change(templateId)
    const { id, email, invoiceNumber } = await due('2027-01-19')
    expect((await member.rest.invoiceRemind!({ id })).status).toBe(200)
    expect((await lastMail(email)).subject).toBe(`Second reminder: invoice ${invoiceNumber}`)
    const uses = `select coalesce(sum(n), 0)::int as n from outreach.email_message_totals where template_id = $1`
    expect(await platform.query(uses, [templateId])).toEqual([{ n: 0 }])
  })

  it('must be ACTIVE and visible', async () => {
    const draft = await template({ status: 'DRAFT' })
    const other = await platform.member({ organizationId: await platform.organization('Elsewhere'), role: 'ADMIN' })
    const { body: foreign } = await other.rest.emailTemplateCreate!({
      body: { name: 'Foreign', status: 'ACTIVE', subject: 'S', bodyHtml: '<p>B</p>' },
    })
    for (const { id } of [draft, foreign])
      expect(
        (await refusedInputs(platform, () => member.rest.dunningUpdate!({ body: { steps: [step(id)] } }))).slice(2),
      ).toEqual(['steps.0.templateId UNKNOWN_REFERENCE'])
  })
})

describe('OVERDUE', () => {
  it('begins at midnight of the time zone of the organization', async () => {
    await platform.query(
      `update identity.organization set settings = '{"timezone": "Pacific/Auckland"}' where id = $1`,
      [member.organizationId],
    )
    const { id: customerId } = await account(member)
    const sent = await sentInvoice(member, { customerId, issueDate: '2027-01-01', dueDate: '2027-02-02' })
    const statusAt = async (time: string) => {
      platform.now = new Date(time)
      await invoiceOverdue.run(platform.services)
      const { status, daysOverdue, overdueAt } = (await member.rest.invoice!({ id: sent.id })).body
      return [status, daysOverdue, overdueAt]
    }
    // Auckland is thirteen hours ahead of UTC.
    expect(await statusAt('2027-02-02T10:59:59.000Z')).toEqual(['SENT', 0, null])
    const midnight = '2027-02-02T11:00:00.000Z'
    expect(await statusAt(midnight)).toEqual(['OVERDUE', 1, midnight])
    await member.rest.invoicePayment!({ id: sent.id, body: { amount: 19 } })
    expect(await statusAt('2027-02-03T10:59:00.000Z')).toEqual(['PARTIALLY_PAID', 1, midnight])
    expect(await statusAt('2027-02-03T11:00:00.000Z')).toEqual(['OVERDUE', 2, '2027-02-03T11:00:00.000Z'])
    const later = await member.rest.invoiceUpdate!({ id: sent.id, body: { dueDate: '2027-02-04' } })
    expect(later.body).toMatchObject({ status: 'PARTIALLY_PAID', daysOverdue: 0 })
    expect((await platform.eventTypesOf(sent.id)).filter((type) => type === 'invoice.overdue')).toHaveLength(2)
  })
})
