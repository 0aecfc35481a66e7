import type { Caller } from '../../kernel/context.ts'
import { notFound, Refusal } from '../../kernel/errors.ts'
import { type RecordShape } from '../../kernel/record/definition.ts'
import { requireReadable } from '../../kernel/record/field-security.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { checkQuestion, type CheckedQuestion } from './check-question.ts'
import {
  attainmentDocument,
  compileLists,
  filterOf,
  recordDocument,
  scoreDocument,
  selectionOf,
  valuesOf,
  type ListPart,
} from './compile.ts'
import { referenceTo } from './question.ts'

import { askTop } from './ask-top.ts'
import {
  citationsOf,
  figuresOf,
  nothing,
  readAll,
  reader,
  type Citation,
  type Lists,
  type QuestionAnswer,
  type QuestionServices,
  type Read,
  type Row,
} from './read-records.ts'

export type { Citation, QuestionAnswer, QuestionServices, Read, Row }
export { reader }

async function askCount(read: Read, shape: RecordShape, question: CheckedQuestion) {
  const { list } = await read<Lists>(
    compileLists([{ alias: 'list', shape, filter: filterOf(question.filters), limit: 1 }]),
  )
  return { total: list!.total! }
}

async function askFigures(read: Read, shape: RecordShape, question: CheckedQuestion) {
  const measure = question.measure!
  const select = selectionOf(shape, measure)
  const { rows, total } = await readAll(read, { shape, filter: filterOf(question.filters), select })
  if (!rows) return { total, isTooMany: true }
  return { total, figures: figuresOf(shape, measure, rows, question.intent === 'AVERAGE') }
}

async function askList(read: Read, shape: RecordShape, question: CheckedQuestion) {
  const { filters, limit, order } = question
  const part = {
    alias: 'list',
    shape,
    filter: filterOf(filters),
    limit,
    order,
    select: selectionOf(shape, order?.field),
  }
  const { list } = await read<Lists>(compileLists([part]))
  return { total: list!.total!, rows: list!.data!, citations: citationsOf(shape, list!.data!) }
}

async function askGroup(read: Read, shape: RecordShape, question: CheckedQuestion) {
  const field = question.groupBy!
  const values = valuesOf(shape, field)
  if (!values) {
    const select = selectionOf(shape, field)
    const { rows, total } = await readAll(read, { shape, filter: filterOf(question.filters), select })
    if (!rows) return { total, isTooMany: true }
    const counts = new Map<string | null, number>()
    for (const row of rows) {
      const value = (row[field] ?? null) as string | null
      counts.set(value, (counts.get(value) ?? 0) + 1)
    }
    const groups = [...counts].map(([value, count]) => ({ value, count })).toSorted((a, b) => b.count - a.count)
    return { total, groups: groups.slice(0, 50) }
  }
  const parts = values.map((value, index): ListPart => {
    const condition =
      value === null ? { field, operator: 'isNull' as const, value: true } : { field, operator: 'eq' as const, value }
    return { alias: `g${index}`, shape, filter: filterOf([...question.filters, condition]), limit: 1 }
  })
  for (let attempt = 0; attempt < 2; attempt++) {
    const lists = await read<Lists>(
      compileLists([{ alias: 'all', shape, filter: filterOf(question.filters), limit: 1 }, ...parts]),
    )
    const groups = values.map((value, index) => ({ value, count: lists[`g${index}`]!.total! }))
    const total = lists['all']!.total!
    if (groups.reduce((sum, { count }) => sum + count, 0) === total)
      return { total, groups: groups.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count) }
  }
  throw new Refusal('UNAVAILABLE', 'The records changed while they were counted.', { retryAfter: 1 })
}

const idOf = ({ filters }: CheckedQuestion): string =>
  String(filters.find(({ field, operator }) => field === 'id' && operator === 'eq')!.value)

async function askRecord(read: Read, shape: RecordShape, question: CheckedQuestion) {
  const compiled = { document: recordDocument(shape), variables: { id: idOf(question) } }
  const { record } = await read<{ record: Row | null }>(compiled)
  if (!record) throw notFound('The record')
  return { total: 1, rows: [record], citations: citationsOf(shape, [record]) }
}

async function askTimeline(services: QuestionServices, read: Read, shape: RecordShape, question: CheckedQuestion) {
  const by = referenceTo[shape.object]
  if (!by) throw new Refusal('VALIDATION_FAILED', `A ${shape.object} has no timeline.`)
  const activity = recordType('activity')()
  const filter = filterOf([
    { field: by, operator: 'eq', value: idOf(question) },
    { field: 'occurredAt', operator: 'lte', value: services.clock.now().toISOString() },
  ])
  const order = { field: 'occurredAt', direction: 'DESC' as const }
  const part = { alias: 'list', shape: activity, filter, limit: question.limit, order, select: selectionOf(activity) }
  const { list } = await read<Lists>(compileLists([part]))
  return { total: list!.total!, rows: list!.data!, citations: citationsOf(activity, list!.data!) }
}

async function askScore(read: Read, question: CheckedQuestion) {
  if (question.object === 'quota') {
    const userId = question.filters[0]?.value ?? null
    const { list } = await read<{ list: { data: readonly (Row & { readonly quotaId: string })[] } }>({
      document: attainmentDocument,
      variables: { userId },
    })
    const rows = list.data.map((row) => ({ ...row, id: row.quotaId }))
    const citations = rows.map((row) => ({
      entityType: 'QUOTA',
      entityId: row.id,
      field: 'attainmentPercent',
      label: String((row as Readonly<Record<string, unknown>>)['period']),
    }))
    return { total: rows.length, rows, citations }
  }
  const { record, score } = await read<{ record: Row | null; score: Record<string, unknown> }>({
    document: scoreDocument,
    variables: { id: idOf(question) },
  })
  if (!record) throw notFound('The record')
  const row = { ...score, ...record }
  return { total: 1, rows: [row], citations: citationsOf(recordType('opportunity')(), [row], 'score') }
}

/**
 * Answers a question from the graph, as the caller: the caller's records, fields, scopes and plan apply. Refuses what the question lacks or
 * the caller may not read. Figures are exact, or there is none.
 */
export async function askQuestion(
  services: QuestionServices,
  caller: Caller,
  raw: unknown,
  requestId: string,
): Promise<QuestionAnswer> {
  const question = checkQuestion(raw)
  const read = reader(services, caller, requestId)
  if (question.object === 'quota') return { ...nothing, question, ...(await askScore(read, question)) }
  const shape = recordType(question.object)()
  const needed = [question.measure, question.groupBy].filter((name) => name !== null)
  if (needed.length > 0) requireReadable(caller, shape, ...needed)
  const asked = {
    COUNT: () => askCount(read, shape, question),
    SUM: () => askFigures(read, shape, question),
    AVERAGE: () => askFigures(read, shape, question),
    LIST: () => askList(read, shape, question),
    TOP: () => askTop(read, shape, question),
    GROUP: () => askGroup(read, shape, question),
    RECORD: () => askRecord(read, shape, question),
    TIMELINE: () => askTimeline(services, read, shape, question),
    SCORE: () => askScore(read, question),
  }[question.intent]
  return { ...nothing, question, ...(await asked()) }
}
