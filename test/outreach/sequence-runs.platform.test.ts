import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { runSequences } from '../../subgraphs/outreach/enrollment/run/run-sequences.ts'
import { sequenceWork } from '../../subgraphs/outreach/sequence/sequence-work.ts'
import { contact, each } from '../builders.ts'
import { expectValidEvents } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { manyEnrolled } from './many-enrolled.ts'
import { aMail, aSequence, run } from './sequence.fixture.ts'

const platform = usePlatform()
afterEach(() => platform.query('delete from outreach.sequence_enrollment'))
afterAll(() => expectValidEvents(platform))

const hourMs = 3_600_000
const later = (hours: number) => new Date(platform.now.getTime() + hours * hourMs).toISOString()
const plain = { subject: 'Dock slots', bodyHtml: '<p>Hello</p>' }

/** The only member of an organization of its own. */
const alone = async (name: string): Promise<Member> =>
  platform.member({ organizationId: await platform.organization(name) })

/** Enrolls people of the member in the sequence; returns the ids of the enrollments. */
async function enrolled(member: Member, id: string, count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, index) => index)
  const people = await each(numbers, (index) => contact(member, { email: `p${index}@${member.userId}.example` }))
  const body = { entityType: 'CONTACT', entityIds: people.map((person) => person.id) }
  const { body: answer } = await member.rest.sequenceEnrollBulk!({ id, body })
  expect(answer.enrolled).toBe(count)
  return (answer.results as { enrollmentId: string }[]).map(({ enrollmentId }) => enrollmentId)
}

const statuses = async (sequenceId: string): Promise<Record<string, number>> =>
  Object.fromEntries(
    (
      await platform.query<{ status: string; count: number }>(
        'select status, count(*)::int as count from outreach.sequence_enrollment where sequence_id = $1 group by 1',
        [sequenceId],
      )
    ).map(({ status, count }) => [status, count]),
  )

/** Every such write fails in the database until the test ends, as it would with a defect of ours. */
async function failing(table: string, moment: string, condition: string): Promise<void> {
  await platform.query(
    `create or replace function public.fail_on_purpose() returns trigger language plpgsql as $$ begin raise 'on purpose'; end $$`,
  )
  await platform.query(
    `create trigger fail_on_purpose before ${moment} on ${table} for each row when (${condition}) execute function public.fail_on_purpose()`,
  )
  onTestFinished(async () => void (await platform.query(`drop trigger fail_on_purpose on ${table}`)))
}

describe('an organization with many due enrollments', () => {
  it('does not delay the few of another one', async () => {
    const [noisy, quiet] = [await alone('Noisy'), await alone('Quiet')]
    const crowd = await aSequence(noisy, [aMail(plain)])
    await manyEnrolled(platform, noisy, crowd, { count: 20_000, nextRunAt: later(-24) })
    const { id } = await aSequence(quiet, [aMail(plain)])
    await enrolled(quiet, id, 3)
    await runSequences(platform.services, 3000)
    expect(await statuses(id)).toEqual({ COMPLETED: 3 })
    const { ACTIVE: left = 0, UNENROLLED: done = 0 } = await statuses(crowd.id)
    expect([left + done, left > 0]).toEqual([20_000, true])
  })
})

describe('an enrollment whose step always fails', () => {
  it('does not stop the others of its batch, and ends as FAILED after five attempts', async () => {
    const member = await alone('Poison')
    const { id } = await aSequence(member, [aMail(plain), { type: 'WAIT', delayDays: 1 }])
    const [poison, ...others] = await enrolled(member, id, 12)
    await failing('outreach.sequence_attempt', 'insert', `new.enrollment_id = '${poison}'`)
    await run(platform)
    const stepsDone = await platform.query<{ enrollmentId: string }>(
      'select enrollment_id as "enrollmentId" from outreach.sequence_attempt where sequence_id = $1 order by 1',
      [id],
    )
    expect(stepsDone.map(({ enrollmentId }) => enrollmentId)).toEqual(others.toSorted())
    const row = async () =>
      (
        await platform.query<{ status: string; failures: number; next: string | null; token: string | null }>(
          'select status, failures, next_run_at as next, lease_token as token from outreach.sequence_enrollment where id = $1',
          [poison],
        )
      )[0]!
    for (const [failures, minutes] of [1, 4, 16, 64].entries()) {
      const next = new Date(platform.now.getTime() + minutes * 60_000)
      expect(await row()).toEqual({ status: 'ACTIVE', failures: failures + 1, next: next.toISOString(), token: null })
      platform.now = next
      await run(platform)
    }
    const { body } = await member.rest.sequenceEnrollment!({ id: poison })
    expect([body.status, body.exitReason, body.nextRunAt, body.attempts]).toEqual([
      'FAILED',
      'The step failed repeatedly on our side.',
      null,
      [],
    ])
    expect((await platform.eventTypesOf(poison!)).at(-1)).toBe('sequence.unenrolled')
    expect(
      await platform.query('select from outreach.outgoing_email where organization_id = $1', [member.organizationId]),
    ).toHaveLength(11)
  })

  it('does not stop other organizations if all of its organization fail', async () => {
    const [broken, healthy] = [await alone('Broken'), await alone('Healthy')]
    const sequences = [await aSequence(broken, [aMail(plain)]), await aSequence(healthy, [aMail(plain)])] as const
    await enrolled(broken, sequences[0].id, 2)
    await enrolled(healthy, sequences[1].id, 2)
    await failing('outreach.sequence_enrollment', 'update', `new.organization_id = '${broken.organizationId}'`)
    expect(await run(platform)).toBe(2)
    expect(await statuses(sequences[1].id)).toEqual({ COMPLETED: 2 })
    expect(await statuses(sequences[0].id)).toEqual({ ACTIVE: 2 })
  })
})

describe('a step that is edited while its mail is rendered', () => {
  it('is executed in its new form, once', async () => {
    const member = await alone('Edited')
    const { id, stepIds } = await aSequence(member, [aMail(plain), { type: 'WAIT', delayDays: 1 }])
    const [enrollmentId] = await enrolled(member, id, 1)
    const [isHeld, isEdited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = platform.inSeparateTransaction(async (sql) => {
      await sql.query('select 1 from outreach.sequence where id = $1 for update', [id])
      isHeld.resolve()
      await isEdited.promise
    })
    await isHeld.promise
    // The change of the step waits for the sequence, and the worker, which has rendered the mail, waits behind it.
    const editing = member.rest.sequenceStepChange!({ id, stepId: stepIds[0], body: { subject: 'Berths' } })
    await expect.poll(() => platform.waitingForLocks(), { timeout: 10_000 }).toBe(1)
    const running = run(platform)
    await expect.poll(() => platform.waitingForLocks(), { timeout: 10_000 }).toBe(2)
    isEdited.resolve()
    await holding
    expect((await editing).status).toBe(200)
    await running
    const mails = await platform.query(
      `select subject from outreach.email_message where organization_id = $1 and direction = 'OUTBOUND'`,
      [member.organizationId],
    )
    expect(mails).toEqual([{ subject: 'Berths' }])
    const { body } = await member.rest.sequenceEnrollment!({ id: enrollmentId })
    expect([body.status, body.currentStepId, body.attempts.length]).toEqual(['ACTIVE', stepIds[1], 1])
  })
})

describe('a template that renders slowly', () => {
  it('fails its own enrollments one by one, and lets those of others pass meanwhile', async () => {
    const [slow, quick] = [await alone('Slow'), await alone('Quick')]
    const bodyHtml = '{% for i in (1..100000) %}{% for j in (1..100000) %}{% endfor %}{% endfor %}'
    const { id } = await aSequence(slow, [aMail({ ...plain, bodyHtml })])
    const [first] = await enrolled(slow, id, 40)
    const other = await aSequence(quick, [aMail(plain)])
    await enrolled(quick, other.id, 3)
    await runSequences(platform.services, 3000)
    expect(await statuses(other.id)).toEqual({ COMPLETED: 3 })
    const { ACTIVE: left = 0, FAILED: failed = 0 } = await statuses(id)
    expect([left + failed, left > 0, failed > 0]).toEqual([40, true, true])
    const { body } = await slow.rest.sequenceEnrollment!({ id: first })
    expect([body.status, body.exitReason]).toEqual(['FAILED', 'bodyHtml takes too much time or memory.'])
    expect(await platform.query('select from outreach.sequence_enrollment where lease_token is not null')).toEqual([])
  })
})

describe('the work of a changed sequence', () => {
  const workLeft = () => platform.query('select kind from outreach.sequence_work order by kind')

  it('resumes thousands of enrollments in batches, by any number of workers, each once', async () => {
    const member = await alone('Paused')
    const sequence = await aSequence(member, [aMail(plain)])
    const nextRunAt = later(48)
    await manyEnrolled(platform, member, sequence, { count: 3500, nextRunAt })
    await member.rest.sequenceToggle!({ id: sequence.id })
    platform.advanceClock(24 * hourMs)
    await member.rest.sequenceToggle!({ id: sequence.id })
    const moved = async () =>
      (
        await platform.query<{ hours: number; count: number }>(
          `select (extract(epoch from next_run_at - $2::timestamptz) / 3600)::int as hours, count(*)::int as count
           from outreach.sequence_enrollment where sequence_id = $1 group by 1 order by 1`,
          [sequence.id, nextRunAt],
        )
      ).map(({ hours, count }) => [hours, count])
    expect(await moved()).toEqual([
      [0, 2500],
      [24, 1000],
    ])
    expect(await workLeft()).toEqual([{ kind: 'RESUME' }])
    await Promise.all([sequenceWork.run(platform.services), sequenceWork.run(platform.services)])
    expect(await moved()).toEqual([[24, 3500]])
    expect(await workLeft()).toEqual([])
  })

  it('ends hundreds of enrollments in batches, one event each, though other work fails', async () => {
    const member = await alone('Archived')
    const [broken, healthy] = [await aSequence(member, [aMail(plain)]), await aSequence(member, [aMail(plain)])]
    for (const one of [broken, healthy]) {
      await manyEnrolled(platform, member, one, { count: 250, nextRunAt: later(1) })
      await member.rest.sequenceArchive!({ id: one.id, query: { force: 'true' } })
    }
    expect(await statuses(healthy.id)).toEqual({ ACTIVE: 150, UNENROLLED: 100 })
    await failing('outreach.sequence_enrollment', 'update', `new.sequence_id = '${broken.id}'`)
    await sequenceWork.run(platform.services)
    expect(await statuses(healthy.id)).toEqual({ UNENROLLED: 250 })
    expect(await statuses(broken.id)).toEqual({ ACTIVE: 150, UNENROLLED: 100 })
    expect(await workLeft()).toEqual([{ kind: 'END' }])
    const events = await platform.query(
      `select count(*)::int as events, count(distinct record_id)::int as records from kernel.event
       where organization_id = $1 and type = 'sequence.unenrolled'`,
      [member.organizationId],
    )
    expect(events).toEqual([{ events: 350, records: 350 }])
  })
})
