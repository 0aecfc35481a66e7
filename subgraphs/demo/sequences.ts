import type { SequenceAttempt } from '../outreach/enrollment/attempt.ts'
import { sequenceAttempt } from '../outreach/enrollment/attempt.record.ts'
import type { SequenceEnrollment } from '../outreach/enrollment/enrollment.ts'
import { sequenceEnrollment } from '../outreach/enrollment/enrollment.record.ts'
import { sequence, sequenceStep } from '../outreach/sequence/sequence.record.ts'
import type { Sql } from '../kernel/database/sql.ts'
import { insertRecords } from '../kernel/record/insert-records.ts'
import { parseEmail } from '../kernel/values/email-address.ts'
import { dayMs, hourMs, iso, workTime } from './calendar.ts'
import type { DemoContact } from './contacts.ts'
import { withHistory, type Step } from './history.ts'
import { mailThread } from './mail-thread.ts'
import { commonFields, recordOwners, type DemoUser, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'
import { sequenceMail } from './sequence-mail.ts'
import { sequenceOf, stepsOf, type GeneratedStep } from './sequence-steps.ts'
import { sequenceTexts, type StepText } from './vocabulary/sequences.ts'

const enrollmentsOfSequence = 18

interface Running {
  readonly random: Random
  readonly input: GeneratorInput
  readonly owner: DemoUser
  readonly sequenceId: string
  readonly texts: readonly StepText[]
  readonly steps: readonly GeneratedStep[]
}

/** Two running sequences with the people in them: some wait for a step, others are through, replied or were taken out. */
export function demoSequences(input: GeneratorInput, contacts: readonly DemoContact[]) {
  const random = new Random(`sequences ${input.profile.code}`)
  const reachable = contacts.filter(({ given: { values } }) => values.email && !values.emailOptOut)
  const made = sequenceTexts.map((text, index) => {
    const owner = random.pick(recordOwners(input))
    const createdMs = workTime(random, input.midnightMs - random.whole(60, 80) * dayMs)
    const common = commonFields(input, random, createdMs, owner.id)
    const steps = stepsOf(input, random, owner, common.id, text.steps, createdMs)
    const given = sequenceOf(random, owner, common, text, createdMs)
    const running = { random, input, owner, sequenceId: common.id, texts: text.steps, steps }
    const people = reachable.slice(index * enrollmentsOfSequence, (index + 1) * enrollmentsOfSequence)
    const enrolled = people.map((contact, at) => enrollmentOf(running, contact, at))
    return { given, steps, enrolled }
  })
  return {
    sequences: made.map(({ given }) => given),
    steps: made.flatMap(({ steps }) => steps),
    enrollments: made.flatMap(({ enrolled }) => enrolled.map(({ given }) => given)),
    attempts: made.flatMap(({ enrolled }) => enrolled.flatMap(({ attempts }) => attempts)),
    mails: made.flatMap(({ enrolled }) => enrolled.map(({ mails }) => mails)),
  }
}

/** How the enrollment ended; null while it runs. */
type End = 'COMPLETED' | 'REPLIED' | 'UNENROLLED' | null
const ends: readonly End[] = [null, 'COMPLETED', null, 'REPLIED', 'COMPLETED', 'UNENROLLED']
const endEvents = {
  COMPLETED: 'sequence.completed',
  REPLIED: 'sequence.replied',
  UNENROLLED: 'sequence.unenrolled',
} as const

/** The positions that an enrollment passes. */
function wayOf(texts: readonly StepText[], end: End, isOpened: boolean): number[] {
  if (end !== 'COMPLETED') return [1]
  const way: number[] = []
  for (let position = 1; position <= texts.length;) {
    way.push(position)
    const { opened } = texts[position - 1]!
    position = opened ? (isOpened ? opened.onTrue : opened.onFalse) : position + 1
  }
  return way
}

function enrollmentOf(running: Running, demoContact: DemoContact, at: number) {
  const { values: contact } = demoContact.given
  const { random, input, owner, sequenceId, texts, steps } = running
  const end = ends[at % ends.length]!
  const isOpened = end === 'REPLIED' || random.chance(0.6)
  const daysAgo = end === null ? 1 : end === 'COMPLETED' ? random.whole(24, 40) : random.whole(8, 20)
  const enrolledMs = workTime(random, input.midnightMs - daysAgo * dayMs)
  const common = commonFields(input, random, enrolledMs, owner.id)
  const openedMs = enrolledMs + random.whole(1, 6) * hourMs
  let executedMs = enrolledMs
  const executed = wayOf(texts, end, isOpened).map((position) => {
    executedMs += (texts[position - 1]!.delayDays ?? 0) * dayMs
    const step = { position, executedMs, openedMs: isOpened ? openedMs : null, isReplied: end === 'REPLIED' }
    return { text: texts[position - 1]!, attempt: attemptOf(running, common.id, step) }
  })
  const mailed = executed.filter(({ text }) => text.type === 'EMAIL')
  const mails = mailThread({
    input,
    random,
    owner,
    contact: demoContact,
    address: parseEmail(contact.email!)!,
    mails: mailed.map(({ text, attempt }) => ({
      text: sequenceMail(text, attempt.variantId, demoContact, owner),
      queuedMs: Date.parse(attempt.executedAt),
    })),
    reaction: end === 'REPLIED' ? 'REPLIED' : isOpened ? 'OPENED' : 'NONE',
    openedMs,
    repliedMs: openedMs + 2 * hourMs,
    reply: 'Thank you for your mail. Please call me on Monday.',
  })
  const messageIds = new Map(mailed.map(({ attempt }, index) => [attempt.id, mails.sent[index]!.values.id]))
  const attempts = executed.map(({ attempt }) => ({ ...attempt, messageId: messageIds.get(attempt.id) ?? null }))
  const threadId = mails.thread.values.id
  const next = texts[attempts.length]
  const dueMs = executedMs + (next?.delayDays ?? 0) * dayMs
  const first = steps[0]!.values
  const atStep = (position: number, runMs: number): Partial<SequenceEnrollment> => ({
    currentStepId: steps[position - 1]!.values.id,
    currentStepPosition: position,
    nextRunAt: iso(runMs),
  })
  const endedMs = end === 'COMPLETED' ? executedMs : openedMs + 2 * hourMs
  const present: Partial<SequenceEnrollment> = end
    ? {
        status: end,
        currentStepId: null,
        currentStepPosition: null,
        nextRunAt: null,
        finishedAt: iso(endedMs),
        exitReason: end === 'UNENROLLED' ? 'Talked on the phone' : null,
        repliedAt: end === 'REPLIED' ? iso(endedMs) : null,
      }
    : // Not before tomorrow, so that the worker finds no work that is late.
      atStep(2, Math.max(dueMs, input.midnightMs + dayMs + 9 * hourMs))
  const times = { threadId, contactedAt: iso(enrolledMs), openedAt: isOpened ? iso(openedMs) : null }
  const values = {
    ...common,
    ownerId: owner.id,
    sequenceId,
    entityType: 'CONTACT' as const,
    entityId: contact.id,
    accountId: contact.accountId ?? null,
    email: parseEmail(contact.email!),
    enrolledById: owner.id,
    senderId: owner.id,
    enrolledAt: iso(enrolledMs),
    ...times,
    ...present,
  }
  const created = {
    ...atStep(1, enrolledMs),
    currentStepId: first.id,
    status: 'ACTIVE' as const,
    finishedAt: null,
    exitReason: null,
    repliedAt: null,
    threadId: null,
    contactedAt: null,
    openedAt: null,
  }
  const last: Step<SequenceEnrollment> = {
    atMs: end ? endedMs : enrolledMs + 1000,
    actorId: null,
    values: { ...times, ...present },
    ...(end && { events: [endEvents[end]], isEventReplaced: true }),
  }
  const given = withHistory(random, { values, actorId: owner.id, eventId: random.id(enrolledMs) }, created, [last])
  return { given, attempts, mails }
}

interface ExecutedStep {
  readonly position: number
  readonly executedMs: number
  readonly openedMs: number | null
  readonly isReplied: boolean
}

function attemptOf(
  { random, input, owner, sequenceId, texts, steps }: Running,
  enrollmentId: string,
  { position, executedMs, openedMs, isReplied }: ExecutedStep,
): SequenceAttempt {
  const { type, variants = [] } = texts[position - 1]!
  const isMail = type === 'EMAIL'
  const seenMs = isMail && position === 1 ? openedMs : null
  const isMet = openedMs === null ? ('CONDITION_FALSE' as const) : ('CONDITION_TRUE' as const)
  return {
    id: random.id(executedMs),
    organizationId: input.organizationId,
    enrollmentId,
    sequenceId,
    stepId: steps[position - 1]!.values.id,
    visit: 1,
    stepType: type,
    stepPosition: position,
    variantId: variants.length > 0 ? random.pick([...variants]).id : null,
    senderId: owner.id,
    result: isMail ? 'SENT' : type === 'CONDITION' ? isMet : 'TASK_CREATED',
    detail: null,
    executedAt: iso(executedMs),
    messageId: null,
    taskId: null,
    openedAt: seenMs === null ? null : iso(seenMs),
    clickedAt: null,
    repliedAt: isReplied && seenMs !== null ? iso(seenMs + 2 * hourMs) : null,
    bouncedAt: null,
  }
}

export async function insertSequences(sql: Sql, data: ReturnType<typeof demoSequences>): Promise<void> {
  await insertRecords(sql, sequence, data.sequences)
  await insertRecords(sql, sequenceStep, data.steps)
  await insertRecords(sql, sequenceEnrollment, data.enrollments)
  const rows = data.attempts.map((attempt) =>
    Object.fromEntries(
      sequenceAttempt.columns.stored.map(({ column, name }) => [column, attempt[name as keyof SequenceAttempt]]),
    ),
  )
  await sql.query(
    `insert into ${sequenceAttempt.table} select * from jsonb_populate_recordset(null::${sequenceAttempt.table}, $1::jsonb)`,
    [JSON.stringify(rows)],
  )
}
