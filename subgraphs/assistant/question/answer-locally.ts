import { fiscalCalendar, organizationChart } from '../../identity/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { hasColumn } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { askQuestion, type Citation } from './ask.ts'
import { findNames, objectsFor, type FoundName } from './find-names.ts'
import { parse } from './parse.ts'
import type { NamedRecord, Parsed } from './parsed.ts'
import { questionObjects, referenceTo, shownOf, type Condition, type Question } from './question.ts'
import { messageMax } from './tokens.ts'
import { vocabulary } from './vocabulary.ts'
import { answerInWords, plain } from './words.ts'

/** What the local mode needs. */
export type LocalContext = RequestContext<'graph'>

export interface LocalQuestion {
  readonly message: string
  /** The record that the user looks at. */
  readonly context: {
    readonly entityType: string | null
    readonly entityId: string | null
    readonly entityName?: string | null
    readonly route?: string | null
  } | null
  /** IANA name of the user's time zone. */
  readonly zone: string
}

export interface LocalAnswer {
  readonly content: string
  /** Records that the graph returned. */
  readonly citations: readonly Citation[]
  readonly toolCalls: readonly {
    readonly name: 'ask'
    readonly input: Question
    readonly output: unknown
    readonly status: 'OK' | 'ERROR'
  }[]
  /** Words without a meaning. With one of them there is no number. */
  readonly notUnderstood: readonly string[]
}

const help =
  'I can count, list, sum up and compare records, for example "How many open deals are there?" or "Who owns Northwind?".'
const saying = (content: string, notUnderstood: readonly string[] = []): LocalAnswer => ({
  content,
  citations: [],
  toolCalls: [],
  notUnderstood,
})
const unclear = (unknown: readonly string[]): LocalAnswer => {
  const named = unknown.slice(0, 5).map((text) => `"${plain(text)}"`)
  return saying(`I do not understand ${named.join(', ')}, so I give no number. ${help}`, unknown.slice(0, 50))
}

/** Ends the answer with what is said instead. */
class Instead extends Error {
  constructor(readonly answer: LocalAnswer) {
    super(answer.content)
  }
}

type Named = FoundName | { readonly object: 'user'; readonly id: string; readonly label: string }

class Asking {
  constructor(
    private readonly ctx: LocalContext,
    private readonly asked: LocalQuestion,
  ) {}

  /** The user or the visible record with a name. */
  async named({ text, words }: NamedRecord, said: string | null, asked: string | null): Promise<Named> {
    const found = await this.withName(text, said, asked)
    if (found.length === 0 && words !== text) found.push(...(await this.withName(words, said, asked)))
    const [one, ...others] = found
    if (!one) throw new Instead(unclear([text]))
    if (others.length > 0) {
      const kinds = [...new Set(found.map(({ object }) => object))].join(', ')
      throw new Instead(
        saying(`Several records have the name "${plain(text)}" (${kinds}), so I give no number. Say which one.`, [
          text,
        ]),
      )
    }
    return one
  }

  private async withName(text: string, said: string | null, asked: string | null): Promise<Named[]> {
    const users = said === null ? await organizationChart(this.ctx) : []
    const wanted = text.toLowerCase()
    const found: Named[] = users
      .filter(({ name }) => name.toLowerCase() === wanted)
      .map(({ id, name }) => ({ object: 'user', id, label: name }))
    if (asked !== 'quota') found.push(...(await findNames(this.ctx, text, objectsFor(this.ctx.caller, said, asked))))
    return found
  }

  /** The record that the user looks at, unless the message says another type. */
  contextRecord(): FoundName {
    const { context } = this.asked
    const object = context?.entityType?.toLowerCase() ?? ''
    if (!context?.entityId || !questionObjects.includes(object))
      throw new Instead(saying('I do not know which record you mean. Name it.'))
    return { object, id: context.entityId, label: context.entityName ?? 'this record' }
  }
}

const ownerField = (object: string): string => (object === 'task' || object === 'case' ? 'assignedToId' : 'ownerId')
const ofOne = (id: string): Condition => ({ field: 'id', operator: 'eq', value: id })

async function aboutOne(asking: Asking, parsed: Parsed): Promise<Question> {
  const { intent, names, isContext, conditions } = parsed
  if (conditions.length > 0 || parsed.isMine || names.length > 1)
    throw new Instead(saying(`I can tell about one record that you name, without further conditions. ${help}`))
  const [name] = names
  // "The last activity of …" says what is asked, not the type of the record.
  const own = parsed.object === 'activity' ? null : parsed.object
  const wanted = intent === 'SCORE' ? 'opportunity' : (name?.object ?? own)
  if (!name && !isContext) {
    if (intent === 'RECORD' || intent === 'TIMELINE' || intent === 'SCORE')
      throw new Instead(saying(`Name the record that you mean. ${help}`))
  }
  const found = name ? await asking.named(name, wanted, null) : asking.contextRecord()
  if (found.object === 'user') throw new Instead(unclear([name!.text]))
  const { asked } = parsed
  if (asked !== null) {
    const field = vocabulary(found.object, '').fields.get(asked)
    if (!field || !shownOf[found.object]!.includes(field)) throw new Instead(unclear([asked]))
  }
  return { intent, object: found.object, filters: [ofOne(found.id)], limit: intent === 'TIMELINE' ? 5 : null }
}

async function attainment(asking: Asking, userId: string, parsed: Parsed): Promise<Question> {
  const [name] = parsed.names
  const user = name ? await asking.named(name, null, 'quota') : null
  const id = user?.id ?? (parsed.isMine ? userId : null)
  const filters: Condition[] = id ? [{ field: 'userId', operator: 'eq', value: id }] : []
  return { intent: 'SCORE', object: 'quota', filters }
}

async function aboutMany(
  asking: Asking,
  userId: string,
  parsed: Parsed,
): Promise<{ question: Question; labels: string[] }> {
  const object = parsed.object!
  const shape = recordType(object)()
  const filters = [...parsed.conditions]
  const labels = [...parsed.labels]
  if (parsed.isMine) {
    filters.push({ field: ownerField(object), operator: 'eq', value: userId })
    labels.push('yours')
  }
  const related: Named[] = parsed.isContext ? [asking.contextRecord()] : []
  for (const name of parsed.names) related.push(await asking.named(name, name.object, object))
  for (const { object: kind, id, label } of related) {
    const field = kind === 'user' ? ownerField(object) : (referenceTo[kind] ?? '')
    if (!hasColumn(shape, field)) throw new Instead(unclear([label]))
    filters.push({ field, operator: 'eq', value: id })
    labels.push(`${kind} ${label}`)
  }
  const { intent, measure, groupBy, direction, limit } = parsed
  const isTop = intent === 'TOP'
  const order = isTop && direction && measure ? { field: measure, direction } : null
  const shownLimit = limit ?? (isTop ? 5 : 10)
  return { question: { intent, object, filters, measure, groupBy, order, limit: shownLimit }, labels }
}

const refusals: Readonly<Record<string, string>> = {
  FIELD_NOT_READABLE: 'You may not read a field that is needed, so I give no number.',
  ENTITLEMENT_REQUIRED: 'The plan of your organization does not include this.',
  NOT_FOUND: 'I find no such record that you may see.',
}

const refusedKinds = {
  WRITE: 'I only answer questions here, so nothing was changed. Change the record itself, or ask about it.',
  TOO_LONG: 'The question has too many words for me. Ask one thing at a time.',
  NONE: `I do not know what you ask. ${help}`,
}

/** Answers a message by fixed rules, without a language model. Every word must be understood; otherwise it names the word and gives no number. */
export async function answerLocally(ctx: LocalContext, asked: LocalQuestion): Promise<LocalAnswer> {
  if (asked.message.length > messageMax) return saying('The question is too long for me. Ask one thing at a time.')
  const asking = new Asking(ctx, asked)
  const { caller, clock, requestId } = ctx
  let question: Question | null = null
  try {
    const { fiscalYearStartMonth } = await fiscalCalendar(ctx)
    const parsing = parse(asked.message, { now: clock.now(), zone: asked.zone, fiscalYearStartMonth })
    if (parsing.kind !== 'QUESTION') return saying(refusedKinds[parsing.kind])
    const { parsed } = parsing
    if (parsed.unknown.length > 0) return unclear(parsed.unknown)
    let labels: string[] = []
    if (parsed.object === 'quota') question = await attainment(asking, caller.userId, parsed)
    else if (parsed.intent === 'RECORD' || parsed.intent === 'TIMELINE' || parsed.intent === 'SCORE')
      question = await aboutOne(asking, parsed)
    else if (!parsed.object) {
      const [name] = parsed.names
      return name ? unclear([name.text]) : saying(`I do not know which records you mean. ${help}`)
    } else ({ question, labels } = await aboutMany(asking, caller.userId, parsed))
    const answer = await askQuestion(ctx, caller, question, requestId)
    const { total, figures, groups, rows } = answer
    const output = { rows: rows.length, total, figures, groups }
    return {
      content: answerInWords(answer, labels),
      citations: answer.citations,
      toolCalls: [{ name: 'ask', input: question, output, status: 'OK' }],
      notUnderstood: [],
    }
  } catch (error) {
    if (error instanceof Instead) return error.answer
    if (!(error instanceof Refusal) || error.code === 'INTERNAL') throw error
    const words = refusals[error.code]
    const content = words ? `${words} (${error.message})` : `I cannot answer this: ${error.message}`
    const toolCalls = question
      ? [
          {
            name: 'ask' as const,
            input: question,
            output: { error: error.message },
            status: 'ERROR' as const,
          },
        ]
      : []
    return { content, citations: [], toolCalls, notUnderstood: [] }
  }
}
