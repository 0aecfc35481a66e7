import type { Calendar } from '../question/periods.ts'
import { followUpLength, set } from '../question/words-of-questions.ts'
import { dayAt, type Day } from './days.ts'
import { lower, textOf, type Word } from './message-words.ts'

/** A task in words; nothing of it was read. */
export interface TaskRequest {
  readonly subject: string
  /** The words of the subject, in which names are looked for. */
  readonly words: readonly Word[]
  readonly due: Day | null
  readonly isReminder: boolean
  readonly priority: string | null
  readonly type: string | null
  /** Who or what the task is for, as said: a user or a record. Each must exist. */
  readonly named: readonly (readonly Word[])[]
  /** With whom or on what to follow up: texts of which the first that is a name counts. Absent: nothing is said of it. */
  readonly with?: readonly (readonly Word[])[]
}

const priorities = set('low medium high urgent')
const types = set('call email meeting follow-up approval')
const begins = set('create add make new open set')
const mayLead = set('a an another new me up priority')
const nouns = set('task todo to-do reminder')
const introduces = set('to about that called named titled saying')
const weekdays = set('today tomorrow monday tuesday wednesday thursday friday saturday sunday')

interface Draft {
  due: Day | null
  priority: string | null
  named: (readonly Word[])[]
}

const isCommon = ({ word, isQuoted }: Word): boolean => !isQuoted && (introduces.has(word) || word === '')

/** Takes what says more about the task from the end of the words, and returns the rest. */
function withoutDetails(words: readonly Word[], draft: Draft, calendar: Calendar): readonly Word[] {
  for (let length = words.length - 1; length > 0; length--) {
    const tail = lower(words.slice(length))
    const rest = words.slice(0, length)
    const day = draft.due === null ? dayAt(tail, 0, calendar) : null
    if (day?.length === tail.length && !isPast(day, calendar)) {
      // "… tomorrow at 3 pm" is found whole, because the words are tried from the shortest end.
      const longer = dayBefore(words, length, calendar)
      draft.due = longer?.day ?? day
      return withoutDetails(words.slice(0, longer?.from ?? length), draft, calendar)
    }
    const said = /^with (?:an? )?(low|medium|high|urgent) priority$/.exec(tail.join(' '))?.[1]
    if (said && draft.priority === null) {
      draft.priority = said.toUpperCase()
      return withoutDetails(rest, draft, calendar)
    }
    if (tail[0] === 'assigned' && tail[1] === 'to' && tail.length > 2) {
      draft.named.push(words.slice(length + 2))
      return withoutDetails(rest, draft, calendar)
    }
    if (/^for me$/.test(tail.join(' '))) return withoutDetails(rest, draft, calendar)
  }
  return words
}

/** The longest date that ends with the words and begins before them. */
function dayBefore(words: readonly Word[], to: number, calendar: Calendar): { day: Day; from: number } | null {
  for (let from = Math.max(1, to - 6); from < to; from++) {
    const tail = lower(words.slice(from))
    const day = dayAt(tail, 0, calendar)
    if (day?.length === tail.length && words.slice(from).every(({ isQuoted }) => !isQuoted)) return { day, from }
  }
  return null
}

const isPast = ({ date }: Day, { now, zone }: Calendar): boolean =>
  date < new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(now)

/** Takes the only day inside of the words: "call Acme tomorrow about the offer". */
function withoutInnerDay(words: readonly Word[], draft: Draft, calendar: Calendar): readonly Word[] {
  if (draft.due) return words
  const all = lower(words)
  const at = all.findIndex((word, index) => index > 0 && weekdays.has(word) && !words[index]!.isPossessive)
  if (at < 0) return words
  const from = /^(?:on|by|next|before|until)$/.test(all[at - 1]!) && at > 1 ? at - 1 : at
  const day = dayAt(all, from, calendar)
  if (!day) return words
  draft.due = day
  return [...words.slice(0, from), ...words.slice(from + day.length)]
}

function subjectOf(message: string, words: readonly Word[]): string {
  const parts: Word[][] = []
  for (const word of words) {
    const last = parts.at(-1)?.at(-1)
    // What lies between two words belongs to the subject, unless a date was taken out there.
    if (last && !/\p{L}|\p{N}/u.test(message.slice(last.to, word.from))) parts.at(-1)!.push(word)
    else parts.push([word])
  }
  const text = parts
    .map((part) => textOf(message, part))
    .join(' ')
    .trim()
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function finished(
  message: string,
  given: readonly Word[],
  draft: Draft,
  rest: Pick<TaskRequest, 'isReminder' | 'type'>,
  calendar: Calendar,
): TaskRequest | null {
  const outer = withoutDetails(given, draft, calendar)
  const words = withoutInnerDay(outer, draft, calendar)
  if (words.length === 0) return null
  return { ...rest, ...draft, words, subject: subjectOf(message, words) }
}

function reminder(message: string, words: readonly Word[], calendar: Calendar): TaskRequest | null {
  const draft: Draft = { due: null, priority: null, named: [] }
  let at = 2
  const day = dayAt(lower(words), at, calendar)
  if (day && !isPast(day, calendar)) {
    draft.due = day
    at += day.length
  }
  const word = words[at]?.word ?? ''
  if (!/^(?:to|about|of|that)$/.test(word)) return null
  return finished(message, words.slice(at + 1), draft, { isReminder: true, type: null }, calendar)
}

const endsName = set('about regarding concerning re on to')

/** "Follow up with Acme next week about the offer": a task about what is named, which must exist. */
function followUp(
  message: string,
  words: readonly Word[],
  length: number,
  calendar: Calendar,
): TaskRequest | 'NO_SUBJECT' {
  const draft: Draft = { due: null, priority: null, named: [] }
  const day = dayAt(lower(words), length, calendar)
  if (day && !isPast(day, calendar)) draft.due = day
  const outer = withoutDetails(words.slice(length + (draft.due?.length ?? 0)), draft, calendar)
  const rest = withoutInnerDay(outer, draft, calendar)
  const name = rest.slice(1)
  if (!/^(?:with|on)$/.test(rest[0]?.word ?? '') || name.length === 0) return 'NO_SUBJECT'
  const end = name.findIndex(({ word }, index) => index > 0 && endsName.has(word))
  const subject = subjectOf(message, [...words.slice(0, length), ...rest])
  const texts = end < 0 ? [name] : [name, name.slice(0, end)]
  return { ...draft, subject, words: name, with: texts, isReminder: false, type: 'FOLLOW_UP' }
}

/** A request to create a task; null if the words are none, and `NO_SUBJECT` if they do not say what to do. */
export function parseTask(
  message: string,
  words: readonly Word[],
  calendar: Calendar,
): TaskRequest | 'NO_SUBJECT' | null {
  if (words[0]?.word === 'remind' && words[1]?.word === 'me') return reminder(message, words, calendar) ?? 'NO_SUBJECT'
  const length = followUpLength(lower(words))
  if (length > 0) return followUp(message, words, length, calendar)
  if (!begins.has(words[0]?.word ?? '')) return null
  const draft: Draft = { due: null, priority: null, named: [] }
  let type: string | null = null
  let at = 1
  for (; at < words.length && !nouns.has(words[at]!.word); at++) {
    const { word } = words[at]!
    if (priorities.has(word)) draft.priority = word.toUpperCase()
    else if (types.has(word)) type = word.toUpperCase().replace('-', '_')
    else if (!mayLead.has(word)) return null
  }
  if (at >= words.length) return null
  const isReminder = words[at]!.word === 'reminder'
  at++
  let isIntroduced = false
  while (at < words.length && !isIntroduced) {
    const day = draft.due === null ? dayAt(lower(words), at, calendar) : null
    if (day && !isPast(day, calendar)) {
      draft.due = day
      at += day.length
    } else if (isCommon(words[at]!)) {
      at++
      isIntroduced = true
    } else if (words[at]!.word === 'for' && words[at + 1]?.word === 'me') at += 2
    else if (words[at]!.word === 'for' || words[at]!.word === 'on') {
      const end = endOfName(message, words, at + 1, calendar)
      draft.named.push(words.slice(at + 1, end))
      isIntroduced = words[end - 1] !== undefined && message.slice(words[end - 1]!.to).startsWith(':')
      at = end
    } else isIntroduced = true
  }
  const request = finished(
    message,
    quotedSubject(words.slice(at), draft, calendar),
    draft,
    { isReminder, type },
    calendar,
  )
  return request ?? 'NO_SUBJECT'
}

/** After a quoted subject, only details may follow: "for Acme", "due Friday". */
function quotedSubject(words: readonly Word[], draft: Draft, calendar: Calendar): readonly Word[] {
  if (!words[0]?.isQuoted || words.length === 1) return words
  const rest = withoutDetails(words, draft, calendar)
  if (rest.length > 2 && /^(?:for|about|on)$/.test(rest[1]!.word)) {
    draft.named.push(rest.slice(2))
    return rest.slice(0, 1)
  }
  return rest
}

function endOfName(message: string, words: readonly Word[], from: number, calendar: Calendar): number {
  let end = from
  while (end < words.length && !isCommon(words[end]!) && !(end > from && words[end - 1]!.isQuoted)) {
    if (end > from && dayAt(lower(words), end, calendar)) break
    end++
    if (message.slice(words[end - 1]!.to).startsWith(':')) break
  }
  return end
}
