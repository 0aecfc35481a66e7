import type { ActivityOutcome } from '../crm/activity/activity.enumerations.ts'
import type { Activity } from '../crm/activity/activity.ts'
import type { Participant } from '../crm/activity/participant.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, hourMs, iso, minuteMs, timeBetween, workTime } from './calendar.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import type { Random } from './random.ts'
import { fillFor, type Partner, type Subject } from './subjects.ts'
import { conversationsOf, type Conversation } from './vocabulary/conversations.ts'

type DemoActivity = GeneratedRecord<Activity>

/** Something that happened with the subject between the two times; it fits the stage of a deal at that time. */
export function activityBetween(
  input: GeneratorInput,
  random: Random,
  subject: Subject,
  fromMs: number,
  toMs: number,
): DemoActivity {
  const latestMs = input.midnightMs - 3 * hourMs
  const atMs = timeBetween(random, Math.min(fromMs, latestMs - minuteMs), Math.min(toMs, latestMs))
  const conversation = random.pick(conversationsOf[subject.phaseAt(atMs)]!)
  return activityOf(input, random, subject, conversation, atMs)
}

/** A meeting in the next weeks. */
export function plannedMeeting(input: GeneratorInput, random: Random, subject: Subject): DemoActivity {
  const { midnightMs } = input
  const meeting = conversationsOf[subject.phaseAt(midnightMs)]!.find(({ type }) => type === 'MEETING')
  const { subject: topic } = meeting ?? { subject: 'Meeting with {person}' }
  const conversation: Conversation = { type: 'MEETING', direction: 'OUTBOUND', subject: topic, body: '' }
  // A weekend moves the time back, so the first three days are left out.
  return activityOf(input, random, subject, conversation, workTime(random, midnightMs + random.whole(3, 25) * dayMs))
}

/** A form on the web site, which software logged when the lead was created. */
export function formSubmission(input: GeneratorInput, random: Random, subject: Subject): DemoActivity {
  const conversation: Conversation = {
    type: 'FORM_SUBMISSION',
    direction: 'INBOUND',
    subject: 'Contact form on the web site',
    body: 'Please call me about {product}. We are looking for a solution for our site in {city}.',
  }
  return activityOf(input, random, subject, conversation, subject.fromMs)
}

function activityOf(
  input: GeneratorInput,
  random: Random,
  subject: Subject,
  { type, direction, subject: topic, body }: Conversation,
  atMs: number,
): DemoActivity {
  const { owner, related } = subject
  const { midnightMs } = input
  const partners = type === 'MEETING' ? random.some(subject.partners, 1, 3) : [random.pick(subject.partners)]
  const [first] = partners as [Partner]
  const fill = fillFor(input, random, subject, first)
  const isPlanned = atMs > midnightMs
  const isAutomated = type === 'FORM_SUBMISSION'
  const ending = isPlanned ? { seconds: random.whole(2, 6) * 15 * 60 } : endingOf(random, type, direction)
  const endedMs = ending.seconds ? atMs + ending.seconds * 1000 : null
  const loggedMs = isPlanned
    ? timeBetween(random, Math.max(subject.fromMs, midnightMs - 6 * dayMs), midnightMs)
    : isAutomated
      ? atMs
      : Math.min((endedMs ?? atMs) + random.whole(1, 40) * minuteMs, midnightMs - minuteMs)
  // Emails and forms that come in are logged by software.
  const source = isAutomated ? 'website' : type === 'EMAIL' ? 'email-sync' : null
  const actorId = isAutomated || (direction === 'INBOUND' && type === 'EMAIL') ? null : owner.id
  const values = {
    ...commonFields(input, random, loggedMs, source ? null : owner.id),
    ownerId: owner.id,
    ...related,
    contactId: related.contactId ?? (first.type === 'CONTACT' ? first.id : null),
    type,
    direction,
    subject: fill(topic),
    body: isPlanned ? null : 'body' in ending ? ending.body! : fill(body),
    outcome: 'outcome' in ending ? ending.outcome! : null,
    occurredAt: iso(atMs),
    endedAt: endedMs === null ? null : iso(endedMs),
    durationSeconds: ending.seconds ?? null,
    actorId,
    participants: participantsOf(type, direction, owner, partners),
    sentiment: 'isHeard' in ending ? random.weighted({ POSITIVE: 45, NEUTRAL: 42, NEGATIVE: 13 }) : null,
    source,
    sourceId: source ? random.digits(`${source === 'website' ? 'form' : 'msg'}-########`) : null,
    isAutomated,
    isPlanned,
  }
  return { values, actorId: values.createdById, eventId: random.id(loggedMs) }
}

interface Ending {
  readonly seconds?: number
  readonly outcome?: ActivityOutcome | null
  /** Instead of the text of the conversation, which did not take place. */
  readonly body?: string
  readonly isHeard?: true
}

/** How long it took, and how it ended. */
function endingOf(random: Random, type: Conversation['type'], direction: Conversation['direction']): Ending {
  if (type === 'EMAIL') return { outcome: direction === 'OUTBOUND' && random.chance(0.45) ? 'REPLIED' : null }
  if (type === 'MEETING') {
    if (random.chance(0.06)) return { outcome: 'NO_SHOW', body: 'Nobody came. A new date must be agreed on.' }
    return { seconds: random.whole(2, 8) * 15 * 60, outcome: 'COMPLETED', isHeard: true }
  }
  if (type !== 'CALL') return {}
  const outcome =
    direction === 'INBOUND' ? 'CONNECTED' : random.weighted({ CONNECTED: 64, VOICEMAIL: 17, NO_ANSWER: 14, BUSY: 5 })
  if (outcome === 'CONNECTED') return { seconds: random.whole(110, 1900), outcome, isHeard: true }
  if (outcome === 'VOICEMAIL') return { seconds: random.whole(15, 55), outcome, body: 'Left a message with my number.' }
  return { outcome, body: 'Not reached; try again.' }
}

const roles: Readonly<Record<string, readonly [string, string]>> = {
  EMAIL: ['from', 'to'],
  MEETING: ['organizer', 'attendee'],
  CALL: ['caller', 'called'],
  SMS: ['from', 'to'],
}

function participantsOf(
  type: Conversation['type'],
  direction: Conversation['direction'],
  owner: Subject['owner'],
  partners: readonly Partner[],
): Participant[] {
  const [active, passive] = roles[type] ?? [null, null]
  const isInbound = direction === 'INBOUND'
  const us = { type: 'USER' as const, id: owner.id, email: owner.email, role: isInbound ? passive : active }
  const them = partners.map(({ type: kind, id, person }) => ({
    type: kind,
    id,
    email: person.email,
    role: isInbound ? active : passive,
  }))
  if (type === 'NOTE') return []
  if (type === 'FORM_SUBMISSION') return them
  return isInbound ? [...them, us] : [us, ...them]
}
