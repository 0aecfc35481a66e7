import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { CaseComment } from '../support/case-comment/case-comment.ts'
import type { Case, CaseStatus } from '../support/case/case.ts'
import { isDone, statusChange } from '../support/case/case.status.ts'
import { dayMs, hourMs, iso, minuteMs } from './calendar.ts'
import type { Step } from './history.ts'
import type { Random } from './random.ts'
import type { DemoUser, GeneratorInput } from './organization.ts'

type ChangingField =
  | 'status'
  | 'priority'
  | 'slaDueAt'
  | 'firstResponseDueAt'
  | 'firstResponseAt'
  | 'pausedAt'
  | 'resolvedAt'
  | 'closedAt'
  | 'escalationLevel'
  | 'reopenCount'
  | 'createdById'

type NewCase = GeneratedRecord<Case>['values'] & Pick<Case, ChangingField>

interface CaseStart {
  readonly input: GeneratorInput
  readonly random: Random
  /** Null if the case is not assigned yet. */
  readonly agent: DemoUser | null
  readonly colleagues: readonly DemoUser[]
  readonly values: NewCase
  readonly texts: { readonly answer: string; readonly note: string; readonly reply: string; readonly solution: string }
  /** The final status. */
  readonly end: CaseStatus
}

export interface GeneratedCase {
  readonly values: NewCase
  /** The case as it was created, as far as it differs. */
  readonly created: Partial<Case>
  readonly steps: readonly Step<Case>[]
  readonly comments: readonly GeneratedRecord<CaseComment>[]
}

/** Builds the history of a case with the state machine of cases. Each step is later than the previous step. */
class History {
  readonly comments: GeneratedRecord<CaseComment>[] = []
  readonly #start: CaseStart
  readonly #steps: Step<Case>[] = []
  values: NewCase
  #atMs: number

  constructor(start: CaseStart) {
    this.#start = start
    this.values = start.values
    this.#atMs = Date.parse(start.values.createdAt)
  }

  /** Advances the time by a random share of the time before midnight, at most `maximumMs`. */
  advance(maximumMs: number): this {
    const { random, input } = this.#start
    const remainingMs = input.midnightMs - minuteMs - this.#atMs
    this.#atMs += Math.max(
      1000,
      Math.floor((Math.min(maximumMs, remainingMs * 0.6) * (0.35 + 0.65 * random.next())) / 1000) * 1000,
    )
    return this
  }

  become(status: CaseStatus, actor: DemoUser | null): this {
    const { values } = statusChange(this.values, status, iso(this.#atMs))
    const escalated = status === 'ESCALATED' ? ['case.escalated'] : []
    return this.#change(values, actor, ['case.status_changed', ...escalated])
  }

  assign(agent: DemoUser): this {
    return this.#change({ assignedToId: agent.id }, agent, ['case.assigned'])
  }

  comment(body: string, author: DemoUser | null, isInternal = false): this {
    const { input, random } = this.#start
    const createdAt = iso(this.#atMs)
    const authorId = author?.id ?? null
    this.comments.push({
      values: {
        id: random.id(this.#atMs),
        organizationId: input.organizationId,
        caseId: this.values.id,
        body,
        isInternal,
        authorId,
        authorType: author ? 'USER' : 'CONTACT',
        createdAt,
      },
      actorId: authorId,
      eventId: random.id(this.#atMs),
    })
    return author && !isInternal && !this.values.firstResponseAt
      ? this.#change({ firstResponseAt: createdAt }, author)
      : this
  }

  /** Closes the case: by the job, one week after it was resolved, or by the agent. If the week ends after midnight, always by the agent. */
  close(agent: DemoUser): this {
    const { random, input } = this.#start
    const weekLaterMs = Date.parse(this.values.resolvedAt!) + 7 * dayMs
    if (random.chance(0.4) || weekLaterMs >= input.midnightMs) return this.advance(2 * dayMs).become('CLOSED', agent)
    this.#atMs = weekLaterMs
    return this.become('CLOSED', null)
  }

  /** Returns the case. Its SLA is breached if the due time passed while the case was not paused. */
  end(): GeneratedCase {
    const { slaDueAt, resolvedAt, pausedAt, status } = this.values
    const untilMs = resolvedAt ? Date.parse(resolvedAt) : pausedAt ? Date.parse(pausedAt) : this.#start.input.midnightMs
    const dueMs = Date.parse(slaDueAt!)
    const isBreached = dueMs <= untilMs && (isDone(status) || !pausedAt || dueMs <= Date.parse(pausedAt))
    const slaBreachedAt = isBreached ? iso(Math.ceil(dueMs / minuteMs) * minuteMs) : null
    const breached = slaBreachedAt
      ? [{ atMs: Date.parse(slaBreachedAt), actorId: null, values: { slaBreachedAt }, events: ['case.sla_breached'] }]
      : []
    return {
      values: { ...this.values, slaBreachedAt },
      created: { ...this.#start.values, assignedToId: null, slaBreachedAt: null },
      steps: [...this.#steps, ...breached],
      comments: this.comments,
    }
  }

  #change(changes: Partial<Case>, actor: DemoUser | null, events: readonly string[] = []): this {
    this.#steps.push({ atMs: this.#atMs, actorId: actor?.id ?? null, values: changes, events })
    this.values = { ...this.values, ...changes, updatedAt: iso(this.#atMs), updatedById: actor?.id ?? null }
    return this
  }
}

export function historyOf(start: CaseStart): GeneratedCase {
  const { random, agent, colleagues, texts, end, values } = start
  const history = new History(start)
  if (agent === null) return history.end()
  if (end === 'NEW')
    return history
      .advance(20 * minuteMs)
      .assign(agent)
      .end()

  const responseMs = Date.parse(values.firstResponseDueAt!) - Date.parse(values.createdAt)
  const workMs = (Date.parse(values.slaDueAt!) - Date.parse(values.createdAt)) * 0.3
  history
    .advance(responseMs * 0.4)
    .assign(agent)
    .become('OPEN', agent)
  // One first response in ten is late.
  history.advance(responseMs * (random.chance(0.1) ? 1.8 : 0.55)).comment(texts.answer, agent)
  if (random.chance(0.5))
    history.advance(workMs * 0.3).comment(texts.note, random.chance(0.7) ? agent : random.pick(colleagues), true)
  if (end === 'OPEN') return (random.chance(0.4) ? history.advance(workMs).comment(texts.reply, null) : history).end()
  if (end === 'PENDING_CUSTOMER') return history.advance(workMs).become('PENDING_CUSTOMER', agent).end()
  if (end === 'ESCALATED') return history.advance(workMs).become('ESCALATED', random.pick(colleagues)).end()

  if (random.chance(0.35))
    history
      .advance(workMs * 0.4)
      .become('PENDING_CUSTOMER', agent)
      .advance(20 * hourMs)
      .comment(texts.reply, null)
      .become('OPEN', agent)
  else history.advance(workMs).comment(texts.reply, null)
  if (random.chance(0.08)) history.advance(workMs * 0.5).become('ESCALATED', random.pick(colleagues))
  history
    .advance(random.chance(0.12) ? workMs * 6 : workMs)
    .comment(texts.solution, agent)
    .become('RESOLVED', agent)
  if (random.chance(0.06)) {
    history.advance(6 * hourMs).become('OPEN', agent)
    history.advance(workMs * 0.5).become('RESOLVED', agent)
  }
  return (end === 'RESOLVED' ? history : history.close(agent)).end()
}
