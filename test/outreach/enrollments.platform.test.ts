import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { trackedPath } from '../../subgraphs/outreach/email/tracked-path.ts'
import { trackingToken } from '../../subgraphs/outreach/email/tracking-token.ts'
import { sequenceCallQueue } from '../../subgraphs/outreach/enrollment/run/webhook-call.queue.ts'
import { account, contact, lead } from '../builders.ts'
import { expectValidEvents } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aMail, aSequence, react, run } from './sequence.fixture.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let member: Member

beforeAll(async () => {
  member = await platform.member()
})
afterAll(() => expectValidEvents(platform))

let people = 0
const anEmail = () => `person${++people}@enrolled.example`
const aPerson = (values: object = {}) => contact(member, { firstName: 'Ida', email: anEmail(), ...values })

const enrollIn = async (id: string, entityId: string, values: object = {}, by: Member = member) =>
  by.rest.sequenceEnroll!({ id, body: { entityType: 'CONTACT', entityId, ...values } })

async function enrolled(id: string, entityId: string, values: object = {}) {
  const { status, body } = await enrollIn(id, entityId, values)
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

const read = async (id: string) => (await member.rest.sequenceEnrollment!({ id })).body
const pass = (hours: number) => void (platform.now = new Date(platform.now.getTime() + hours * 3_600_000))
const mailsTo = (email: string) =>
  platform.query<{
    id: string
    subject: string
    threadId: string
    inReplyTo: string | null
    internetMessageId: string
  }>(
    `select m.id, m.subject, m.thread_id as "threadId", m.in_reply_to as "inReplyTo", m.internet_message_id as "internetMessageId"
     from outreach.email_message m join outreach.outgoing_email o on o.organization_id = m.organization_id and o.id = m.id
     where m.to_emails = array[$1] order by m.created_at, m.id`,
    [email],
  )

describe('an enrollment that meets a change of its sequence', () => {
  it.each([
    ['an archiving', `status = 'ARCHIVED'`, 409],
    ['a deletion', 'deleted_at = now()', 404],
  ])('waits for %s and is refused', async (_, change, status) => {
    const { id } = await aSequence(member, [aMail()])
    const { id: contactId } = await aPerson()
    const held = Promise.withResolvers<void>()
    const changed = Promise.withResolvers<void>()
    const changing = platform.inSeparateTransaction(async (sql) => {
      await sql.query(`update outreach.sequence set ${change} where id = $1`, [id])
      changed.resolve()
      await held.promise
    })
    await changed.promise
    const enrolling = enrollIn(id, contactId)
    await expect.poll(() => platform.waitingForLocks(), { timeout: 10_000 }).toBe(1)
    held.resolve()
    await changing
    expect((await enrolling).status).toBe(status)
    expect(await platform.query('select 1 from outreach.sequence_enrollment where sequence_id = $1', [id])).toEqual([])
  })
})

describe('an enrollment', () => {
  it('has its first 200 executions of steps', async () => {
    const { id, stepIds } = await aSequence(member, [aMail()])
    const { id: contactId } = await aPerson()
    const enrollment = await enrolled(id, contactId)
    await platform.query(
      `insert into outreach.sequence_attempt (organization_id, id, enrollment_id, sequence_id, step_id, visit, step_type, step_position, result, executed_at)
       select $1, uuidv7(), $2, $3, $4, visit, 'EMAIL', 1, 'SKIPPED', $5::timestamptz + visit * interval '1 s' from generate_series(1, 201) visit`,
      [member.organizationId, enrollment.id, id, stepIds[0], platform.now.toISOString()],
    )
    const { attempts } = await read(enrollment.id)
    expect(attempts.map(({ visit }: { visit: number }) => visit)).toEqual(
      Array.from({ length: 200 }, (_, index) => index + 1),
    )
    await member.rest.sequenceUnenroll!({ id, body: { enrollmentId: enrollment.id } })
  })

  it('goes from mail to mail in one thread, with a task between, and completes', async () => {
    const { id, stepIds } = await aSequence(member, [
      aMail(),
      { type: 'CALL', delayDays: 1, task: { subject: 'Call Ida' } },
      aMail({ delayDays: 1, replyInThread: true, subject: 'Any news?' }),
    ])
    const { id: contactId, email } = await aPerson()
    const start = platform.now.toISOString()
    const enrollment = await enrolled(id, contactId)
    expect(enrollment).toMatchObject({
      status: 'ACTIVE',
      currentStepId: stepIds[0],
      currentStepPosition: 1,
      nextRunAt: start,
      enrolledAt: start,
      senderId: member.userId,
      enrolledById: member.userId,
      attempts: [],
    })
    expect(await run(platform)).toBe(1)
    const [first] = await mailsTo(email)
    expect(first).toMatchObject({ subject: 'Dock slots for Ida', inReplyTo: null })
    const afterFirst = await read(enrollment.id)
    expect(afterFirst).toMatchObject({
      currentStepId: stepIds[1],
      nextRunAt: new Date(platform.now.getTime() + 86_400_000).toISOString(),
      threadId: first!.threadId,
      contactedAt: start,
      attempts: [{ stepId: stepIds[0], result: 'SENT', messageId: first!.id, visit: 1 }],
    })
    expect(await run(platform)).toBe(0)
    pass(24)
    expect(await run(platform)).toBe(1)
    const { attempts } = await read(enrollment.id)
    const task = (await member.rest.task!({ id: attempts[1].taskId })).body
    expect(task).toMatchObject({
      subject: 'Call Ida',
      type: 'CALL',
      assignedToId: member.userId,
      relatedToType: 'CONTACT',
      relatedToId: contactId,
      sequenceEnrollmentId: enrollment.id,
      source: 'SEQUENCE',
    })
    pass(24)
    await run(platform)
    const [, reply] = await mailsTo(email)
    expect(reply).toMatchObject({
      subject: 'Any news?',
      threadId: first!.threadId,
      inReplyTo: first!.internetMessageId,
    })
    expect(await read(enrollment.id)).toMatchObject({
      status: 'COMPLETED',
      currentStepId: null,
      nextRunAt: null,
      exitReason: null,
      finishedAt: platform.now.toISOString(),
    })
    pass(24 * 30)
    expect(await run(platform)).toBe(0)
    expect(await mailsTo(email)).toHaveLength(2)
  })

  it('sends in the window of the recipient, and not on holidays of the organization', async () => {
    platform.now = new Date('2027-03-26T16:30:00.000Z')
    const settings = { timezone: 'RECIPIENT', sendDays: ['MON', 'TUE'], sendStart: '09:00', sendEnd: '10:00' }
    const { id } = await aSequence(member, [aMail()], { settings })
    const { id: contactId, email } = await aPerson({ timezone: 'Europe/Oslo' })
    // Summer time begins on Sunday.
    expect(await enrolled(id, contactId)).toMatchObject({ nextRunAt: '2027-03-29T07:00:00.000Z' })
    const inAuckland = await aPerson({ timezone: 'Pacific/Auckland' })
    expect(await enrolled(id, inAuckland.id)).toMatchObject({ nextRunAt: '2027-03-28T20:00:00.000Z' })
    // The worker was away for the whole window.
    platform.now = new Date('2027-03-29T08:00:00.000Z')
    await run(platform)
    expect(await mailsTo(email)).toHaveLength(0)
    platform.now = new Date('2027-03-30T07:30:00.000Z')
    await run(platform)
    expect(await mailsTo(email)).toHaveLength(1)
  })

  it('goes on with the steps as they are when its time comes: removed, added and in another order', async () => {
    const steps = [
      aMail({ subject: 'one' }),
      aMail({ subject: 'two', delayDays: 1 }),
      aMail({ subject: 'three', delayDays: 1 }),
    ]
    const { id, stepIds } = await aSequence(member, steps)
    const { id: contactId, email } = await aPerson()
    const { id: enrollmentId } = await enrolled(id, contactId)
    await run(platform)
    const { body: added } = await member.rest.sequenceStepAdd!({ id, body: aMail({ subject: 'four', delayDays: 1 }) })
    expect((await member.rest.sequenceStepRemove!({ id, stepId: stepIds[1]! })).status).toBe(200)
    const reordered = { stepIds: [stepIds[2], stepIds[0], added.id] }
    expect((await member.rest.sequenceStepReorder!({ id, body: reordered })).status).toBe(200)
    for (let days = 0; days < 4; days++) {
      pass(24)
      await run(platform)
    }
    const subjects = (await mailsTo(email)).map(({ subject }) => subject)
    expect(subjects.toSorted()).toEqual(['four', 'one', 'three'])
    expect(await read(enrollmentId)).toMatchObject({ status: 'COMPLETED' })
  })

  it('keeps the delay that is left while it is paused', async () => {
    const { id } = await aSequence(member, [aMail({ delayHours: 10 })])
    const { id: contactId, email } = await aPerson()
    const { id: enrollmentId } = await enrolled(id, contactId)
    pass(4)
    const paused = await member.rest.sequencePauseEnrollment!({ id, body: { enrollmentId, reason: ' Holiday ' } })
    expect(paused).toMatchObject({
      status: 200,
      body: { status: 'PAUSED', pauseReason: 'Holiday', pausedAt: platform.now.toISOString(), nextRunAt: null },
    })
    const again = await member.rest.sequencePauseEnrollment!({ id, body: { enrollmentId } })
    expect(again).toMatchObject({ status: 409, body: { code: 'INVALID_STATE', allowed: ['ACTIVE', 'UNENROLLED'] } })
    pass(100)
    await run(platform)
    const resumed = await member.rest.sequenceResumeEnrollment!({ id, body: { enrollmentId } })
    expect(resumed.body).toMatchObject({
      status: 'ACTIVE',
      pausedAt: null,
      pauseReason: null,
      nextRunAt: new Date(platform.now.getTime() + 6 * 3_600_000).toISOString(),
    })
    await run(platform)
    expect(await mailsTo(email)).toHaveLength(0)
    pass(6)
    await run(platform)
    expect(await mailsTo(email)).toHaveLength(1)
  })

  it('stands still while its sequence is paused', async () => {
    const { id } = await aSequence(member, [aMail({ delayHours: 2 })])
    const { id: contactId, email } = await aPerson()
    const { id: enrollmentId } = await enrolled(id, contactId)
    pass(1)
    await member.rest.sequenceToggle!({ id })
    pass(48)
    await run(platform)
    expect(await mailsTo(email)).toHaveLength(0)
    expect((await member.rest.sequenceProcessStep!({ id, body: { enrollmentId } })).status).toBe(409)
    await member.rest.sequenceToggle!({ id })
    await run(platform)
    expect(await mailsTo(email)).toHaveLength(0)
    pass(1)
    await run(platform)
    expect(await mailsTo(email)).toHaveLength(1)
  })

  it('follows a condition, also back, and ends what would never end', async () => {
    const { id, stepIds } = await aSequence(member, [
      { type: 'TASK', delayHours: 1, task: { subject: 'Look at it' } },
      { type: 'WAIT', delayHours: 1 },
    ])
    const condition = {
      conditions: [{ field: 'title', operator: 'EQUALS', value: 'Harbour Master' }],
      onTrueStepId: null,
      onFalseStepId: stepIds[0],
    }
    const added = await member.rest.sequenceStepAdd!({ id, body: { type: 'CONDITION', condition } })
    expect(added.status, JSON.stringify(added.body)).toBe(201)
    const person = await aPerson()
    const { id: enrollmentId } = await enrolled(id, person.id)
    for (let round = 1; round <= 2; round++) {
      pass(1)
      await run(platform)
      pass(1)
      await run(platform)
    }
    const results = (await read(enrollmentId)).attempts.map((one: { visit: number; result: string }) => [
      one.visit,
      one.result,
    ])
    expect(results).toEqual([
      [1, 'TASK_CREATED'],
      [1, 'WAITED'],
      [1, 'CONDITION_FALSE'],
      [2, 'TASK_CREATED'],
      [2, 'WAITED'],
      [2, 'CONDITION_FALSE'],
    ])
    await member.rest.contactUpdate!({ id: person.id, body: { title: 'Harbour Master' } })
    pass(1)
    await run(platform)
    pass(1)
    await run(platform)
    expect(await read(enrollmentId)).toMatchObject({ status: 'COMPLETED' })
  })

  it('of text messages and social networks creates tasks with the text to send', async () => {
    for (const [type, what] of [
      ['SMS', 'Send this text message to the person'],
      ['SOCIAL', 'Write this to the person in a social network'],
    ]) {
      const { id } = await aSequence(member, [{ type, bodyText: 'Hello {{contact.firstName}}' }])
      const { id: contactId } = await aPerson()
      const { id: enrollmentId } = await enrolled(id, contactId)
      await run(platform)
      const { attempts } = await read(enrollmentId)
      const task = (await member.rest.task!({ id: attempts[0].taskId })).body
      expect(task.description).toBe(`${what}: the platform does not send it itself.\n\nHello Ida`)
    }
  })

  it('calls the address of a webhook step, says what came of it, and does not wait for it', async () => {
    const calls: { id: string; enrollment: { id: string } }[] = []
    let answer = 500
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        calls.push(JSON.parse(Buffer.concat(chunks).toString()) as (typeof calls)[number])
        response.writeHead(answer).end()
      })
    })
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const owner = await platform.member({ organizationId: member.organizationId, role: 'OWNER' })
    const { id } = await aSequence(owner, [
      { type: 'WEBHOOK', webhookUrl: 'https://hooks.example.com/sequence' },
      { type: 'WAIT', delayDays: 1 },
    ])
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
    await platform.query('update outreach.sequence_step set webhook_url = $2 where sequence_id = $1 and position = 1', [
      id,
      url,
    ])
    const { id: contactId } = await aPerson()
    const { body: enrollment } = await enrollIn(id, contactId, {}, owner)
    await run(platform)
    const result = async () => (await owner.rest.sequenceEnrollment!({ id: enrollment.id })).body.attempts[0].result
    expect(await result()).toBe('PENDING')
    await drain(sequenceCallQueue, platform.services)
    answer = 204
    await ageQueueItems(platform.services, 'outreach.sequence_call', 120_000)
    await drain(sequenceCallQueue, platform.services)
    expect(await result()).toBe('CALLED')
    expect(calls.map((one) => one.enrollment.id)).toEqual([enrollment.id, enrollment.id])
    expect(new Set(calls.map((one) => one.id)).size).toBe(1)
    const events = await platform.query(
      `select 1 from kernel.event where type = 'sequence.webhook' and record_id = $1`,
      [enrollment.id],
    )
    expect(events).toHaveLength(1)
  })

  it('fails with the reason if a mail has no value for a variable, and sends nothing', async () => {
    const { id } = await aSequence(member, [aMail({ subject: 'For {{contact.title}}' }), aMail({ delayDays: 1 })])
    const { id: contactId, email } = await aPerson()
    const { id: enrollmentId } = await enrolled(id, contactId)
    await run(platform)
    expect(await read(enrollmentId)).toMatchObject({
      status: 'FAILED',
      exitReason: 'The mail needs a value of contact.title.',
      attempts: [{ result: 'FAILED', messageId: null }],
    })
    expect(await mailsTo(email)).toHaveLength(0)
  })
})

describe('the limit of a sender', () => {
  it('is exact with several workers at the same time, and the rest is sent on the next day', async () => {
    const sender = await platform.member({ organizationId: member.organizationId })
    const manager = await platform.member({ organizationId: member.organizationId, role: 'MANAGER' })
    const { id } = await aSequence(manager, [aMail()], { settings: { dailyLimitPerSender: 7 } })
    const persons = []
    for (let n = 0; n < 20; n++) persons.push(await aPerson())
    const bulk = await manager.rest.sequenceEnrollBulk!({
      id,
      body: { entityType: 'CONTACT', entityIds: persons.map((one) => one.id), senderId: sender.userId },
    })
    expect(bulk.body).toMatchObject({ requested: 20, enrolled: 20, skipped: 0, failed: 0 })
    const sent = async () =>
      (
        await platform.query<{ n: number }>(
          `select count(*)::int as n from outreach.sequence_attempt where sequence_id = $1 and result = 'SENT'`,
          [id],
        )
      )[0]!.n
    await Promise.all([run(platform), run(platform), run(platform)])
    await run(platform)
    expect(await sent()).toBe(7)
    const [{ id: enrollmentId }] = (await manager.rest.sequenceEnrollments!({ id, query: { status: 'ACTIVE' } })).body
      .data
    const refused = await manager.rest.sequenceProcessStep!({ id, body: { enrollmentId } })
    expect(refused).toMatchObject({ status: 429, body: { code: 'MAIL_RATE_LIMITED' } })
    pass(24)
    await run(platform)
    expect(await sent()).toBe(14)
    pass(24)
    await run(platform)
    expect(await sent()).toBe(20)
  })
})

describe('enroll', () => {
  it('refuses with a reason, and enrolls nobody', async () => {
    const { id } = await aSequence(member, [aMail()])
    const other = await aSequence(member, [aMail()])
    const reasonOf = async (entityId: string, values: object = {}) => {
      const { status, body } = await enrollIn(id, entityId, values)
      return [status, body.code, body.reason ?? null]
    }
    const active = await aPerson()
    const running = await enrolled(id, active.id)
    expect(await enrollIn(id, active.id)).toMatchObject({
      status: 409,
      body: { code: 'INVALID_STATE', reason: 'ALREADY_ACTIVE', enrollmentId: running.id },
    })
    const elsewhere = await aPerson()
    await enrolled(other.id, elsewhere.id)
    expect(await reasonOf(elsewhere.id)).toEqual([409, 'INVALID_STATE', 'IN_OTHER_SEQUENCE'])
    expect((await enrollIn(id, elsewhere.id, { allowOtherSequences: true })).status).toBe(201)
    expect(await reasonOf((await aPerson({ email: null })).id)).toEqual([409, 'INVALID_STATE', 'NO_EMAIL'])
    expect(await reasonOf((await aPerson({ emailOptOut: true })).id)).toEqual([409, 'INVALID_STATE', 'OPTED_OUT'])
    const denied = await aPerson({ consent: { status: 'DENIED' } })
    expect(await reasonOf(denied.id)).toEqual([409, 'INVALID_STATE', 'OPTED_OUT'])
    expect(await reasonOf((await aPerson({ emailStatus: 'BOUNCED' })).id)).toEqual([409, 'INVALID_STATE', 'BOUNCED'])
    expect(await reasonOf(newId())).toEqual([404, 'NOT_FOUND', null])
    const someLead = await lead(member, { email: anEmail() })
    const { body: converted } = await member.rest.leadConvert!({ id: someLead.id, body: { createOpportunity: false } })
    expect(converted.lead.status).toBe('CONVERTED')
    expect(await reasonOf(someLead.id, { entityType: 'LEAD' })).toEqual([403, 'PERMISSION_DENIED', 'NO_ACCESS'])
    const { total } = (await member.rest.sequenceEnrollments!({ id })).body
    expect(total).toBe(2)
  })

  it('in bulk answers each record in the order of the request, and takes at most 500', async () => {
    const { id } = await aSequence(member, [aMail()])
    const [one, noEmail] = [await aPerson(), await aPerson({ email: null })]
    const entityIds = [one.id, noEmail.id, newId(), one.id.toUpperCase()]
    const body = { entityType: 'CONTACT', entityIds }
    const answer = await member.rest.sequenceEnrollBulk!({ id, body })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    const [first] = answer.body.results
    expect(answer.body).toEqual({
      requested: 4,
      enrolled: 1,
      skipped: 1,
      failed: 2,
      results: [
        { entityId: entityIds[0], status: 'ENROLLED', reason: null, enrollmentId: expect.any(String) },
        { entityId: entityIds[1], status: 'FAILED', reason: 'NO_EMAIL', enrollmentId: null },
        { entityId: entityIds[2], status: 'FAILED', reason: 'NOT_FOUND', enrollmentId: null },
        { entityId: entityIds[3], status: 'SKIPPED', reason: 'ALREADY_ACTIVE', enrollmentId: first.enrollmentId },
      ],
    })
    const tooMany = { entityType: 'CONTACT', entityIds: Array.from({ length: 501 }, newId) }
    expect((await member.rest.sequenceEnrollBulk!({ id, body: tooMany })).status).toBe(400)
    const most = { entityType: 'CONTACT', entityIds: Array.from({ length: 500 }, newId) }
    expect((await member.rest.sequenceEnrollBulk!({ id, body: most })).body).toMatchObject({
      requested: 500,
      failed: 500,
    })
  })

  it('puts a record into one sequence only, whatever happens at the same time', async () => {
    const sequences = await Promise.all([1, 2, 3, 4].map(() => aSequence(member, [aMail()])))
    const { id: contactId } = await aPerson()
    const answers = await Promise.all([...sequences, ...sequences].map(({ id }) => enrollIn(id, contactId)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7)
  })

  it('needs a running sequence, and a manager for the name of somebody else', async () => {
    const { id } = await aSequence(member, [aMail()])
    const { id: contactId } = await aPerson()
    const simple = await platform.member({ organizationId: member.organizationId, role: 'MEMBER', visibility: 'ALL' })
    expect((await enrollIn(id, contactId, { senderId: member.userId }, simple)).status).toBe(403)
    const manager = await platform.member({ organizationId: member.organizationId, role: 'MANAGER' })
    expect((await enrollIn(id, contactId, { senderId: newId() }, simple)).status).toBe(403)
    expect((await enrollIn(id, contactId, { senderId: newId() }, manager)).status).toBe(400)
    await member.rest.sequenceToggle!({ id })
    expect(await enrollIn(id, contactId)).toMatchObject({ status: 409, body: { allowed: ['ACTIVE', 'ARCHIVED'] } })
    const leadsOnly = await aSequence(member, [aMail()], { entityTypes: ['LEAD'] })
    expect((await enrollIn(leadsOnly.id, contactId)).status).toBe(400)
  })
})

describe('process-step', () => {
  it('executes the current step at once, once', async () => {
    const { id, stepIds } = await aSequence(member, [aMail({ delayDays: 3 }), aMail({ delayDays: 3 })])
    const { id: contactId, email } = await aPerson()
    const { id: enrollmentId } = await enrolled(id, contactId)
    const process = (body: object) => member.rest.sequenceProcessStep!({ id, body: { enrollmentId, ...body } })
    const [one, two] = await Promise.all([process({ stepId: stepIds[0] }), process({ stepId: stepIds[0] })])
    expect([one!.status, two!.status], JSON.stringify([one!.body, two!.body])).toEqual([200, 200])
    expect(one!.body).toMatchObject({ currentStepId: stepIds[1], attempts: [{ result: 'SENT' }] })
    expect(await mailsTo(email)).toHaveLength(1)
    expect((await process({ stepId: newId() })).status).toBe(409)
    expect((await process({})).body).toMatchObject({ status: 'COMPLETED' })
    expect(await mailsTo(email)).toHaveLength(2)
    expect(await process({})).toMatchObject({ status: 409, body: { code: 'INVALID_STATE', allowed: [] } })
    expect((await process({ stepId: stepIds[0] })).status).toBe(200)
    expect(await mailsTo(email)).toHaveLength(2)
  })
})

describe('what ends an enrollment', () => {
  const running = async (settings: object = {}, values: object = {}) => {
    const { id } = await aSequence(member, [aMail(), aMail({ delayDays: 5 })], { settings })
    const person = await aPerson(values)
    const enrollment = await enrolled(id, person.id)
    await run(platform)
    const [mail] = await mailsTo(person.email)
    return { sequenceId: id, person, id: enrollment.id, mail: mail! }
  }
  const status = async (id: string) => {
    await react(platform, member)
    const { status: now, exitReason } = await read(id)
    return [now, exitReason]
  }
  const report = (body: object) =>
    member.rest.emailStatusReceive!({
      query: { api_key: member.secret },
      body: { timestamp: platform.now.toISOString(), ...body },
    })
  const inbound = (mail: { internetMessageId: string }, from: string) =>
    member.rest.emailInboundReceive!({
      query: { api_key: member.secret },
      body: {
        from,
        to: ['ann@fjordline.example'],
        subject: 'Re: Dock slots',
        text: 'Yes',
        messageId: `<${newId()}@customer.example>`,
        inReplyTo: mail.internetMessageId,
      },
    })

  it('a reply, also for others of the account', async () => {
    const { id: accountId } = await account(member)
    const { id: sequenceId } = await aSequence(member, [aMail(), aMail({ delayDays: 5 })], {
      settings: { stopCompanyOnReply: true },
    })
    const people = [await aPerson({ accountId }), await aPerson({ accountId }), await aPerson()]
    const ids = []
    for (const person of people) ids.push((await enrolled(sequenceId, person.id)).id)
    await run(platform)
    const [mail] = await mailsTo(people[0]!.email)
    expect((await inbound(mail!, people[0]!.email)).status).toBe(200)
    expect(await status(ids[0]!)).toEqual(['REPLIED', null])
    expect(await status(ids[1]!)).toEqual(['UNENROLLED', 'Somebody else of the account replied.'])
    expect(await status(ids[2]!)).toEqual(['ACTIVE', null])
    expect(await read(ids[0]!)).toMatchObject({
      repliedAt: expect.any(String),
      attempts: [{ repliedAt: expect.any(String) }],
    })
  })

  it('a hard bounce, a complaint and an opt-out', async () => {
    const bounced = await running()
    await report({ messageId: bounced.mail.internetMessageId, event: 'BOUNCED', bounceType: 'HARD', reason: '550' })
    expect(await status(bounced.id)).toEqual(['BOUNCED', 'Mails to the address bounce.'])
    const complained = await running()
    await report({ messageId: complained.mail.internetMessageId, event: 'COMPLAINED' })
    expect((await status(complained.id))[0]).toBe('UNSUBSCRIBED')
    const optedOut = await running()
    await member.rest.contactUpdate!({ id: optedOut.person.id, body: { emailOptOut: true } })
    expect((await status(optedOut.id))[0]).toBe('UNSUBSCRIBED')
    const denied = await running({ stopOnUnsubscribe: false })
    await member.rest.contactUpdate!({ id: denied.person.id, body: { consent: { status: 'DENIED' } } })
    expect((await status(denied.id))[0]).toBe('UNSUBSCRIBED')
  })

  it('a meeting and a hard bounce do not where the settings say so; nobody mails an address that bounces', async () => {
    const met = await running({ stopOnMeeting: false })
    await member.rest.activityCreate!({ body: { type: 'MEETING', subject: 'Tour', contactId: met.person.id } })
    expect(await status(met.id)).toEqual(['ACTIVE', null])
    const bounced = await running({ stopOnBounce: false })
    await report({ messageId: bounced.mail.internetMessageId, event: 'BOUNCED', bounceType: 'HARD', reason: '550' })
    expect(await status(bounced.id)).toEqual(['ACTIVE', null])
    pass(24 * 5)
    await run(platform)
    expect(await read(bounced.id)).toMatchObject({
      status: 'COMPLETED',
      attempts: [{ result: 'SENT' }, { result: 'SKIPPED' }],
    })
    expect(await mailsTo(bounced.person.email)).toHaveLength(1)
    expect(await mailsTo(met.person.email)).toHaveLength(2)
  })

  it('the link to unsubscribe in the mail', async () => {
    const { id, person, mail } = await running()
    const token = trackingToken(platform.services.keys, 'UNSUBSCRIBE', {
      organizationId: member.organizationId,
      messageId: mail.id,
      link: 0,
    })
    const link = `${platform.url}${trackedPath.UNSUBSCRIBE}/${token}`
    expect((await fetch(link)).status).toBe(200)
    expect(await status(id)).toEqual(['ACTIVE', null])
    expect(
      (await fetch(link, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })).status,
    ).toBe(200)
    expect((await status(id))[0]).toBe('UNSUBSCRIBED')
    pass(24 * 5)
    await run(platform)
    expect(await mailsTo(person.email)).toHaveLength(1)
  })

  it('nobody who unsubscribed gets a mail, even if the sequence goes on', async () => {
    const { id, person } = await running({ stopOnUnsubscribe: false })
    await member.rest.contactUpdate!({ id: person.id, body: { emailOptOut: true } })
    expect((await status(id))[0]).toBe('ACTIVE')
    pass(24 * 5)
    await run(platform)
    expect(await read(id)).toMatchObject({ status: 'COMPLETED', attempts: [{ result: 'SENT' }, { result: 'SKIPPED' }] })
    expect(await mailsTo(person.email)).toHaveLength(1)
  })

  it('a meeting, a stage of an opportunity and the deletion of the record', async () => {
    const met = await running()
    await member.rest.activityCreate!({ body: { type: 'MEETING', subject: 'Tour', contactId: met.person.id } })
    expect(await status(met.id)).toEqual(['UNENROLLED', 'A meeting was logged.'])
    const { id: accountId } = await account(member)
    const sold = await running({ stopOnOpportunityStage: ['PROPOSAL'] }, { accountId })
    await member.rest.opportunityCreate!({
      body: { name: 'Deal', accountId, closeDate: '2027-12-31', stage: 'PROPOSAL', primaryContactId: sold.person.id },
    })
    expect(await status(sold.id)).toEqual(['UNENROLLED', 'An opportunity entered the stage PROPOSAL.'])
    const deleted = await running()
    await member.rest.contactDelete!({ id: deleted.person.id })
    expect(await status(deleted.id)).toEqual(['UNENROLLED', 'The record was deleted.'])
    const ended = await running()
    const body = { enrollmentId: ended.id, reason: 'Taken over by phone' }
    expect((await member.rest.sequenceUnenroll!({ id: ended.sequenceId, body })).status).toBe(200)
    expect(await status(ended.id)).toEqual(['UNENROLLED', 'Taken over by phone'])
  })

  it('the conversion of a lead does not: it goes on with the contact', async () => {
    const { id } = await aSequence(member, [
      aMail({ subject: 'Hello', bodyHtml: '<p>Hello</p>' }),
      aMail({ delayDays: 5, subject: 'Hello', bodyHtml: '<p>Again</p>' }),
    ])
    const person = await lead(member, { company: 'Quay One AS', email: anEmail() })
    const { body: enrollment } = await member.rest.sequenceEnroll!({
      id,
      body: { entityType: 'LEAD', entityId: person.id },
    })
    await run(platform)
    const { body: converted } = await member.rest.leadConvert!({ id: person.id, body: { createOpportunity: false } })
    expect((await status(enrollment.id))[0]).toBe('ACTIVE')
    expect(await read(enrollment.id)).toMatchObject({ entityType: 'CONTACT', entityId: converted.contact.id })
    pass(24 * 5)
    await run(platform)
    expect(await mailsTo(person.email)).toHaveLength(2)
  })
})

describe('the lists', () => {
  it('have the enrollments that the caller sees, and what became of the mails', async () => {
    const { id } = await aSequence(member, [aMail()])
    const person = await aPerson()
    const { id: enrollmentId } = await enrolled(id, person.id)
    await run(platform)
    const record = { entityType: 'CONTACT', entityId: person.id }
    const listed = await member.rest.sequenceEnrollments!({ id })
    expect(listed.body.data.map((one: { id: string }) => one.id)).toEqual([enrollmentId])
    const ofRecord = await member.rest.sequenceEnrollmentsForRecord!({ query: record })
    expect(ofRecord.body.data.map((one: { id: string }) => one.id)).toEqual([enrollmentId])
    const delivery = await member.rest.sequenceDelivery!({ query: record })
    expect(delivery.status, JSON.stringify(delivery.body)).toBe(200)
    expect(delivery.body.data).toMatchObject([
      { id: enrollmentId, sequence: { name: 'Terminals of the north' }, mails: [{ status: 'QUEUED', openCount: 0 }] },
    ])
    expect((await member.rest.sequenceDelivery!({ query: {} })).body.data.length).toBeGreaterThan(1)
    expect((await member.rest.sequenceDelivery!({ query: { entityType: 'CONTACT' } })).status).toBe(400)
    const own = await platform.member({ organizationId: member.organizationId, role: 'MEMBER', visibility: 'OWN' })
    const stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
    for (const by of [own, stranger]) {
      expect((await by.rest.sequenceEnrollments!({ id })).status).toBe(404)
      expect((await by.rest.sequenceEnrollmentsForRecord!({ query: record })).status).toBe(404)
      expect((await by.rest.sequenceDelivery!({ query: record })).status).toBe(404)
      expect((await by.rest.sequenceDelivery!({ query: {} })).body.data).toEqual([])
      expect((await by.rest.sequencePauseEnrollment!({ id, body: { enrollmentId } })).status).toBe(404)
      expect((await by.rest.sequenceProcessStep!({ id, body: { enrollmentId } })).status).toBe(404)
    }
  })
})
