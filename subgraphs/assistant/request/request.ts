import { fiscalCalendar } from '../../identity/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Answering, Asked } from '../answer/answering.ts'
import { messageMax } from '../question/public.ts'
import { polite, set } from '../question/words-of-questions.ts'
import { lower, wordsOf, type Word } from './message-words.ts'
import { NamedRecords } from './named-records.ts'
import { parseTask } from './parse-task.ts'
import { proposeField } from './propose-field.ts'
import { proposeTask } from './propose-task.ts'
import { help, Instead, nothingChanged, saying, type RequestAnswer } from './said.ts'

const opening = new Set([...polite, 'ok', 'okay', 'and', 'also'])
const closing = set('please thanks thank you')

const deletions = set('delete remove erase destroy archive merge restore undo')
const mails = set('send mail email e-mail reply forward')

function requestedWords(message: string): readonly Word[] | null {
  const words = wordsOf(message)
  if (!words) return null
  let [from, to] = [0, words.length]
  while (from < to && opening.has(words[from]!.word)) from++
  while (to > from && closing.has(words[to - 1]!.word)) to--
  return words.slice(from, to)
}

function refusalOf(words: readonly Word[]): RequestAnswer | null {
  const [first] = words
  const refused = (what: string): RequestAnswer => saying(`${what}, ${nothingChanged} ${help}`)
  if (deletions.has(first?.word ?? '')) return refused('I do not delete, archive, merge or restore records')
  if (mails.has(first?.word ?? '')) return refused('I do not send mails')
  if (first?.word === 'schedule' || first?.word === 'book') return refused('I do not make appointments')
  return null
}

/** Answers a request for a change by fixed rules: with a proposal that the user may confirm, or with the words that were not understood. */
export async function answerRequest(
  ctx: Answering,
  asked: Asked,
  zone: string,
  signal: AbortSignal,
): Promise<RequestAnswer> {
  const { content: message, context, conversationId } = asked
  const words = message.length > messageMax ? null : requestedWords(message)
  if (!words) return saying(`The request has too many words for me, ${nothingChanged} Ask for one change at a time.`)
  const refused = refusalOf(words)
  if (refused) return refused
  try {
    const { fiscalYearStartMonth } = await fiscalCalendar(ctx)
    const calendar = { now: ctx.clock.now(), zone, fiscalYearStartMonth }
    const heard = { conversationId, said: [message], returned: new Map(), isInfluenced: false }
    const request = { calling: { ctx, heard, signal }, message, calendar, names: new NamedRecords(ctx, context) }
    const task = parseTask(message, words, calendar)
    if (task === 'NO_SUBJECT') return saying(`Say what the task is, ${nothingChanged} ${help}`)
    if (task) return await proposeTask(request, task)
    return (
      (await proposeField(request, words)) ??
      saying(`I cannot do this, ${nothingChanged} ${help}`, lower(words).slice(0, 1))
    )
  } catch (error) {
    if (error instanceof Instead) return error.answer
    if (!(error instanceof Refusal) || error.code === 'INTERNAL') throw error
    return saying(`I cannot propose this: ${error.message}`)
  }
}
