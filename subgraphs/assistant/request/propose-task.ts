import { DateTime } from 'luxon'
import type { Caller } from '../../kernel/context.ts'
import type { FoundName } from '../question/find-names.ts'
import { mayWrite } from '../../kernel/record/field-security.ts'
import { shapeOf } from '../tool/records.ts'
import { dayInWords, momentOf } from './days.ts'
import { textOf, type Word } from './message-words.ts'
import { shownName } from './named-records.ts'
import type { TaskRequest } from './parse-task.ts'
import { proposed, type Line, type Request } from './proposed.ts'
import { recordWords } from './record-words.ts'
import { ambiguous, help, Instead, nothingChanged, saying, unclear, type RequestAnswer } from './said.ts'

/** What a task can be about, the most usual first. */
const related = ['account', 'contact', 'lead', 'opportunity', 'case', 'quote', 'order', 'invoice']
const mentioned = ['account', 'contact', 'lead', 'opportunity']
const runsMax = 3
const morning = '09:00'

const isCapital = ({ text, isQuoted }: Word): boolean => isQuoted || /^\p{Lu}/u.test(text)

/** Texts of the subject that may be names: quoted ones, and runs of words with a capital letter. The first word has one in any case. */
function nameRuns(words: readonly Word[]): (readonly Word[])[] {
  const runs: Word[][] = []
  words.forEach((word, index) => {
    if (!isCapital(word) || (index === 0 && !word.isQuoted && words.length > 1)) return
    const isNext =
      index > 0 && runs.at(-1)?.at(-1) === words[index - 1] && !word.isQuoted && !words[index - 1]!.isQuoted
    if (isNext) runs.at(-1)!.push(word)
    else runs.push([word])
  })
  if (runs.length > 0) return runs.slice(0, runsMax)
  const after = words.findIndex(({ word }) => /^(?:call|email|mail|meet|visit|with|ask|ping|contact|for)$/.test(word))
  const next = words[after + 1]
  return after >= 0 && next ? [[next]] : []
}

/** The record that the subject names, if it names one. Several with the name are asked back. */
async function mentionedRecord({ message, names }: Request, words: readonly Word[]): Promise<FoundName | null> {
  for (const run of nameRuns(words)) {
    const text = textOf(message, run)
    if (text.length < 2) continue
    const found = await names.find(text, mentioned)
    const best = mentioned.map((object) => found.filter((one) => one.object === object)).find((some) => some.length > 0)
    if (!best) continue
    const isName = isCapital(run[0]!)
    if (best.length === 1) return best[0]!
    if (isName) throw new Instead(ambiguous(text, best.map(shownName)))
  }
  return null
}

/** The users and records that words can stand for. */
async function meantBy({ message, names }: Request, given: readonly Word[]) {
  const { object, words, isContext, isBulk } = recordWords(given)
  const text = textOf(message, words)
  const users = object || isContext ? [] : await names.users(text)
  const page = names.atPage()
  const records = isContext ? (page ? [page] : []) : await names.find(text, object ? [object] : related)
  const options = [...users.map((user) => `the user ${user.name}`), ...records.map(shownName)]
  if (options.length > 1) throw new Instead(ambiguous(text, options))
  return { text, user: users[0] ?? null, record: records[0] ?? null, isBulk }
}

/** The record with which or on which to follow up; null if it is a user. */
async function followedUp(request: Request, texts: readonly (readonly Word[])[]): Promise<FoundName | null> {
  let unknown = ''
  for (const words of texts) {
    const { text, user, record, isBulk } = await meantBy(request, words)
    if (user || record) return record
    if (isBulk) throw new Instead(saying(`I propose tasks about one record at a time, ${nothingChanged} ${help}`))
    unknown = text
  }
  throw new Instead(unclear(unknown))
}

interface For {
  assignee: { readonly id: string; readonly name: string } | null
  about: FoundName | null
}

/** The user and the record for which a task is said to be. */
async function namedFor(request: Request, named: TaskRequest['named']): Promise<For> {
  const all: For = { assignee: null, about: null }
  for (const words of named) {
    const { text, user, record } = await meantBy(request, words)
    if ((!user && !record) || (user ? all.assignee : all.about)) throw new Instead(unclear(text))
    if (user) all.assignee = user
    else all.about = record
  }
  return all
}

/** A reminder of a day is in its morning. */
function reminderAt({ due, isReminder }: TaskRequest, { calendar }: Request): string | null {
  if (!isReminder || !due) return null
  const at = momentOf({ date: due.date, time: due.time ?? morning }, 'BEGIN', calendar.zone)
  return DateTime.fromISO(at) > DateTime.fromJSDate(calendar.now) ? at : null
}

const fieldsOf = (caller: Caller, input: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(input).filter(([name, value]) => value !== null && mayWrite(caller, shapeOf('task'), name)),
  )

/** Proposes a task for the caller or the named user, about the record that it names. */
export async function proposeTask(request: Request, task: TaskRequest): Promise<RequestAnswer> {
  const { calling, calendar, names, message } = request
  const { caller } = calling.ctx
  const { assignee, about: said } = await namedFor(request, task.named)
  const about = task.with
    ? await followedUp(request, task.with)
    : (said ?? (await mentionedRecord(request, task.words)))
  const { due, priority, type } = task
  const user = assignee ?? (await names.user('me'))
  const wanted: Record<string, unknown> = {
    subject: task.subject,
    dueDate: due && momentOf(due, 'END', calendar.zone),
    reminderAt: reminderAt(task, request),
    priority,
    type,
    assignedToId: user.id,
    relatedToType: about && about.object.toUpperCase(),
    relatedToId: about?.id ?? null,
  }
  const input = fieldsOf(caller, wanted)
  const asked = { subject: task.subject, dueDate: due, priority, type, assignedToId: assignee, relatedToId: said }
  const locked = Object.entries(asked).find(([name, value]) => value !== null && !(name in input))
  if (locked) throw new Instead(unclear(locked[0] === 'dueDate' && due ? dayInWords(due) : textOf(message, task.words)))
  if (!('relatedToType' in input && 'relatedToId' in input)) {
    delete input['relatedToType']
    delete input['relatedToId']
  }
  const lines: Line[] = []
  if (due) lines.push(['due', dayInWords(due)])
  if ('reminderAt' in input) lines.push(['reminder', due!.time === null ? `${due!.date} ${morning}` : dayInWords(due!)])
  if (priority) lines.push(['priority', priority.toLowerCase()])
  if (type) lines.push(['type', type.toLowerCase().replace('_', ' ')])
  if ('assignedToId' in input) lines.push(['assigned to', user.name])
  if (about && 'relatedToId' in input) lines.push(['about', shownName(about)])
  const sentence = { before: 'Create task "', value: task.subject, after: `"${due ? `, due ${dayInWords(due)}` : ''}` }
  return proposed(
    request,
    { action: 'create', object: 'task', id: null, input },
    { sentence, lines, about: about ? [about] : [] },
  )
}
