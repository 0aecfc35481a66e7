import type { Given } from '../kernel/record/insert-records.ts'
import type { CaseComment } from '../support/case-comment/case-comment.ts'
import type { Case, CaseStatus } from '../support/case/case.ts'
import { isDone, statusChange } from '../support/case/case.status.ts'
import { dayMs, hourMs, iso, minuteMs } from './calendar.ts'
import type { Dice } from './dice.ts'
import type { DemoUser, Setting } from './organization.ts'

type Moving =
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

type Opened = Given<Case>['values'] & Pick<Case, Moving>

interface Beginning {
  readonly setting: Setting
  readonly dice: Dice
  /** Null: nobody has taken it yet. */
  readonly agent: DemoUser | null
  readonly colleagues: readonly DemoUser[]
  readonly values: Opened
  readonly texts: { readonly answer: string; readonly note: string; readonly reply: string; readonly solution: string }
  /** The status in which it stands. */
  readonly end: CaseStatus
}

export interface LivedCase {
  readonly values: Opened
  readonly comments: readonly Given<CaseComment>[]
}

/** A case that lives from its creation to its end, each step by the state machine of cases and later than the one before. */
class Life {
  readonly comments: Given<CaseComment>[] = []
  readonly #begun: Beginning
  values: Opened
  #atMs: number

  constructor(begun: Beginning) {
    this.#begun = begun
    this.values = begun.values
    this.#atMs = Date.parse(begun.values.createdAt)
  }

  /** Lets a share of the time that is left before midnight pass, at most so much. */
  pass(mostMs: number): this {
    const { dice, setting } = this.#begun
    const leftMs = setting.midnightMs - minuteMs - this.#atMs
    this.#atMs += Math.max(
      1000,
      Math.floor((Math.min(mostMs, leftMs * 0.6) * (0.35 + 0.65 * dice.next())) / 1000) * 1000,
    )
    return this
  }

  become(status: CaseStatus, actor: DemoUser | null): this {
    return this.#change(statusChange(this.values, status, iso(this.#atMs)).values, actor)
  }

  assign(agent: DemoUser): this {
    return this.#change({ assignedToId: agent.id }, agent)
  }

  say(body: string, author: DemoUser | null, isInternal = false): this {
    const { setting, dice } = this.#begun
    const createdAt = iso(this.#atMs)
    const authorId = author?.id ?? null
    this.comments.push({
      values: {
        id: dice.id(this.#atMs),
        organizationId: setting.organizationId,
        caseId: this.values.id,
        body,
        isInternal,
        authorId,
        authorType: author ? 'USER' : 'CONTACT',
        createdAt,
      },
      actorId: authorId,
      eventId: dice.id(this.#atMs),
    })
    return author && !isInternal && !this.values.firstResponseAt
      ? this.#change({ firstResponseAt: createdAt }, author)
      : this
  }

  /** Closed a week after it was resolved, as nobody objected; by hand when that would be tomorrow. */
  close(agent: DemoUser): this {
    const { dice, setting } = this.#begun
    const weekLaterMs = Date.parse(this.values.resolvedAt!) + 7 * dayMs
    if (dice.chance(0.4) || weekLaterMs >= setting.midnightMs) return this.pass(2 * dayMs).become('CLOSED', agent)
    this.#atMs = weekLaterMs
    return this.become('CLOSED', null)
  }

  /** Whether the due date went by while somebody could have worked on it. */
  end(): LivedCase {
    const { slaDueAt, resolvedAt, pausedAt, status } = this.values
    const untilMs = resolvedAt
      ? Date.parse(resolvedAt)
      : pausedAt
        ? Date.parse(pausedAt)
        : this.#begun.setting.midnightMs
    const dueMs = Date.parse(slaDueAt!)
    const isBreached = dueMs <= untilMs && (isDone(status) || !pausedAt || dueMs <= Date.parse(pausedAt))
    const slaBreachedAt = isBreached ? iso(Math.ceil(dueMs / minuteMs) * minuteMs) : null
    return { values: { ...this.values, slaBreachedAt }, comments: this.comments }
  }

  #change(changes: Partial<Case>, actor: DemoUser | null): this {
    this.values = { ...this.values, ...changes, updatedAt: iso(this.#atMs), updatedById: actor?.id ?? null }
    return this
  }
}

export function lifeOf(begun: Beginning): LivedCase {
  const { dice, agent, colleagues, texts, end, values } = begun
  const life = new Life(begun)
  if (agent === null) return life.end()
  if (end === 'NEW')
    return life
      .pass(20 * minuteMs)
      .assign(agent)
      .end()

  const responseMs = Date.parse(values.firstResponseDueAt!) - Date.parse(values.createdAt)
  const workMs = (Date.parse(values.slaDueAt!) - Date.parse(values.createdAt)) * 0.3
  life
    .pass(responseMs * 0.4)
    .assign(agent)
    .become('OPEN', agent)
  // One first answer in ten comes late.
  life.pass(responseMs * (dice.chance(0.1) ? 1.8 : 0.55)).say(texts.answer, agent)
  if (dice.chance(0.5)) life.pass(workMs * 0.3).say(texts.note, dice.chance(0.7) ? agent : dice.pick(colleagues), true)
  if (end === 'OPEN') return (dice.chance(0.4) ? life.pass(workMs).say(texts.reply, null) : life).end()
  if (end === 'PENDING_CUSTOMER') return life.pass(workMs).become('PENDING_CUSTOMER', agent).end()
  if (end === 'ESCALATED') return life.pass(workMs).become('ESCALATED', dice.pick(colleagues)).end()

  if (dice.chance(0.35))
    life
      .pass(workMs * 0.4)
      .become('PENDING_CUSTOMER', agent)
      .pass(20 * hourMs)
      .say(texts.reply, null)
      .become('OPEN', agent)
  else life.pass(workMs).say(texts.reply, null)
  if (dice.chance(0.08)) life.pass(workMs * 0.5).become('ESCALATED', dice.pick(colleagues))
  life
    .pass(dice.chance(0.12) ? workMs * 6 : workMs)
    .say(texts.solution, agent)
    .become('RESOLVED', agent)
  if (dice.chance(0.06)) {
    life.pass(6 * hourMs).become('OPEN', agent)
    life.pass(workMs * 0.5).become('RESOLVED', agent)
  }
  return (end === 'RESOLVED' ? life : life.close(agent)).end()
}
