import { dayMs } from '../../kernel/time/wall-calendar.ts'
import type { DatedActivity, EngagementEntity } from './entities.ts'
import type { ScoredEntity } from './score-entities.ts'

export type Step = {
  readonly action: StepAction
  readonly reason: string
  readonly priority: 'HIGH' | 'MEDIUM' | 'LOW'
  /** Where the numbers are: paths of the answer of `score`, or of the request. */
  readonly basedOn: readonly string[]
}

export type StepAction =
  | 'RESOLVE_CONCERN'
  | 'ANSWER_REQUEST'
  | 'RESCHEDULE_MEETING'
  | 'RE_ENGAGE'
  | 'PROPOSE_MEETING'
  | 'CALL_AGAIN'
  | 'FOLLOW_UP'
  | 'USE_OTHER_CHANNEL'
  | 'FIND_CONTACTS'
  | 'BEGIN_CONTACT'
  | 'KEEP_CONTACT'

export interface NextSteps {
  readonly entityId: string
  readonly steps: readonly Step[]
  readonly source: 'RULES'
}

/** The activities until now, oldest first, each with its path in the request. */
type Past = readonly { readonly activity: DatedActivity; readonly atMs: number; readonly path: string }[]

const recentDays = 14
const priorities = ['HIGH', 'MEDIUM', 'LOW']
const notReached = new Set(['VOICEMAIL', 'NO_ANSWER', 'BUSY'])
const interest = new Set(['CLICK', 'OPEN', 'DOCUMENT_VIEW', 'WEB_VISIT', 'EVENT_ATTENDANCE'])
const answers = new Set(['CALL', 'MEETING', 'EMAIL', 'SMS', 'CHAT'])

/** What to do next, by fixed rules, the most urgent first; at least one step. */
export function nextStepsOf(entity: EngagementEntity, scored: ScoredEntity, nowMs: number): NextSteps {
  const past = (entity.activities ?? [])
    .map((activity, index) => ({ activity, atMs: Date.parse(activity.timestamp), path: `entity.activities.${index}` }))
    .filter(({ atMs }) => atMs <= nowMs)
    .toSorted((a, b) => a.atMs - b.atMs)
  const found = [...ofActivities(past, nowMs), ...ofMomentum(scored, past, nowMs), ...ofContacts(entity, scored)]
  const steps = found.toSorted((a, b) => priorities.indexOf(a.priority) - priorities.indexOf(b.priority))
  return { entityId: entity.id, steps: steps.length > 0 ? steps : [keepContact], source: 'RULES' }
}

const keepContact: Step = {
  action: 'KEEP_CONTACT',
  reason: 'Engagement is as usual.',
  priority: 'LOW',
  basedOn: ['momentum.trend'],
}

const daysAgo = (atMs: number, nowMs: number): string => {
  const days = Math.floor((nowMs - atMs) / dayMs)
  return days === 0 ? 'today' : days === 1 ? 'a day ago' : `${days} days ago`
}

function ofActivities(past: Past, nowMs: number): Step[] {
  const steps: Step[] = []
  const isRecent = (atMs: number): boolean => nowMs - atMs <= recentDays * dayMs
  const last = (isWanted: (activity: DatedActivity) => boolean) => past.findLast(({ activity }) => isWanted(activity))
  const wasAnswered = (since: number): boolean =>
    past.some(({ activity, atMs }) => atMs > since && answers.has(activity.type) && activity.direction !== 'INBOUND')

  const mood = last(({ sentiment }) => Boolean(sentiment))
  if (mood?.activity.sentiment === 'NEGATIVE' && isRecent(mood.atMs)) {
    const reason = `The last known mood was negative, ${daysAgo(mood.atMs, nowMs)}.`
    steps.push({ action: 'RESOLVE_CONCERN', reason, priority: 'HIGH', basedOn: [`${mood.path}.sentiment`] })
  }
  const asked = last(
    ({ type, direction }) => type === 'FORM_SUBMISSION' || (direction === 'INBOUND' && answers.has(type)),
  )
  if (asked && isRecent(asked.atMs) && !wasAnswered(asked.atMs)) {
    const reason = `The customer got in touch ${daysAgo(asked.atMs, nowMs)}, and nobody has answered.`
    steps.push({ action: 'ANSWER_REQUEST', reason, priority: 'HIGH', basedOn: [asked.path] })
  }
  const meeting = last(({ type }) => type === 'MEETING')
  if (meeting?.activity.outcome === 'NO_SHOW') {
    const reason = `Nobody came to the meeting ${daysAgo(meeting.atMs, nowMs)}.`
    steps.push({ action: 'RESCHEDULE_MEETING', reason, priority: 'HIGH', basedOn: [`${meeting.path}.outcome`] })
  }
  const call = last(({ type }) => type === 'CALL')
  if (call && notReached.has(call.activity.outcome ?? '')) {
    const reason = `Nobody was reached by the call ${daysAgo(call.atMs, nowMs)}.`
    steps.push({ action: 'CALL_AGAIN', reason, priority: 'MEDIUM', basedOn: [`${call.path}.outcome`] })
  }
  const interested = last(({ type, isAutomated }) => interest.has(type) && !isAutomated)
  if (interested && isRecent(interested.atMs) && !wasAnswered(interested.atMs)) {
    const reason = `There was a ${interested.activity.type} ${daysAgo(interested.atMs, nowMs)}.`
    steps.push({ action: 'FOLLOW_UP', reason, priority: 'MEDIUM', basedOn: [interested.path] })
  }
  return steps
}

function ofMomentum({ momentum }: ScoredEntity, past: Past, nowMs: number): Step[] {
  const { trend, silenceDays, usualGapDays } = momentum
  if (silenceDays === null) {
    const reason = 'No activity of the customer is known.'
    return [{ action: 'BEGIN_CONTACT', reason, priority: 'MEDIUM', basedOn: ['momentum.silenceDays'] }]
  }
  if (trend === 'CHURNING') {
    const usual = usualGapDays === null ? '' : `; usually there is some every ${usualGapDays} days`
    const reason = `The last activity was ${silenceDays} days ago${usual}.`
    const basedOn = ['momentum.trend', 'momentum.silenceDays', 'momentum.usualGapDays']
    return [{ action: 'RE_ENGAGE', reason, priority: 'HIGH', basedOn }]
  }
  const hasMet = past.some(({ activity, atMs }) => activity.type === 'MEETING' && nowMs - atMs <= recentDays * dayMs)
  if ((trend === 'ACCELERATING' || trend === 'GROWING') && !hasMet) {
    const reason = `Engagement is ${trend.toLowerCase()}, and there was no meeting in ${recentDays} days.`
    const basedOn = ['momentum.trend', 'momentum.velocity']
    return [{ action: 'PROPOSE_MEETING', reason, priority: trend === 'ACCELERATING' ? 'HIGH' : 'MEDIUM', basedOn }]
  }
  return []
}

function ofContacts({ relationships }: EngagementEntity, { activitySignals }: ScoredEntity): Step[] {
  const steps: Step[] = []
  const [only, ...others] = activitySignals
  if (only && others.length === 0) {
    const reason = `All engagement is of the type ${only.channel}.`
    steps.push({ action: 'USE_OTHER_CHANNEL', reason, priority: 'LOW', basedOn: ['activitySignals.0'] })
  }
  if (!relationships?.length) {
    const reason = 'No relationship is known.'
    steps.push({ action: 'FIND_CONTACTS', reason, priority: 'LOW', basedOn: ['entity.relationships'] })
  }
  return steps
}
