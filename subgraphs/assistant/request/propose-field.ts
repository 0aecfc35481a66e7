import type { Caller } from '../../kernel/context.ts'
import type { Column } from '../../kernel/record/column.ts'
import { textOfNumber, type ExactNumber } from '../../kernel/json/exact-number.ts'
import type { Calendar } from '../question/periods.ts'
import type { FoundName } from '../question/find-names.ts'
import { fieldWords } from '../question/label.ts'
import { nounOf } from '../question/object-words.ts'
import { readValue, memberOf, type Reading } from './field-values.ts'
import { textOf, type Word } from './message-words.ts'
import { shownName } from './named-records.ts'
import { parseChange, type ChangeCandidate, type ParsedChange } from './parse-change.ts'
import { proposed, type Request } from './proposed.ts'
import { readRecord, stageOf, type ChangedRecord } from './changed-record.ts'
import { recordWords } from './record-words.ts'
import { ambiguous, help, Instead, nothingChanged, saying, unclear, type RequestAnswer } from './said.ts'
import { changedObjects, writableFields } from './writable-fields.ts'

type Fields = ReadonlyMap<string, ReadonlyMap<string, Column>>

/** A field of a record type with what the value means for it. */
interface Option {
  readonly object: string
  readonly column: Column
  readonly reading: Reading
}

/** Options for one text that must be the name of a record; null: the record that the user looks at. */
interface Wanted {
  readonly name: string | null
  readonly options: Option[]
}

const namesMax = 4

const fieldsOf = (caller: Caller): Fields =>
  new Map(changedObjects.map((object) => [object, writableFields(caller, object)]))

const states: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  complete: { task: 'COMPLETED' },
  finish: { task: 'COMPLETED' },
  close: { case: 'CLOSED', task: 'COMPLETED' },
  resolve: { case: 'RESOLVED' },
  reopen: { case: 'OPEN', task: 'NOT_STARTED' },
  escalate: { case: 'ESCALATED' },
}
const assigned = /^(?:assign|reassign|hand|give|transfer)$/
const moved = /^(?:move|push|postpone|reschedule|set|change|put)$/
const preferred = ['status', 'accountStatus', 'stage', 'priority', 'type', 'rating']

const columnNamed = (fields: ReadonlyMap<string, Column>, ...names: readonly string[]): Column | undefined => {
  const all = [...fields.values()]
  return names.map((name) => all.find((column) => column.name === name)).find((column) => column !== undefined)
}

/** The fields that a value says without naming the field: those whose enumeration has it, one of the usual ones before the others. */
function byMember(fields: ReadonlyMap<string, Column>, value: readonly Word[]): Column[] {
  const columns = [...new Set(fields.values())].filter((column) => memberOf(column, value) !== null)
  const usual = preferred.flatMap((name) => columns.filter((column) => column.name === name))
  return usual.length > 0 ? usual.slice(0, 1) : columns.length === 1 ? columns : []
}

/** What a request without a field can mean for a record type. */
function impliedOptions(
  object: string,
  fields: ReadonlyMap<string, Column>,
  verb: string,
  value: readonly Word[] | null,
  read: (column: Column) => Reading | null,
): Option[] {
  const option = (column: Column | undefined, reading: Reading | null): Option[] =>
    column && reading ? [{ object, column, reading }] : []
  if (value === null) {
    const state = states[verb]?.[object]
    return option(
      columnNamed(fields, 'status'),
      state ? { kind: 'VALUE', value: state, words: state.toLowerCase() } : null,
    )
  }
  if (verb === 'rename') {
    const column = columnNamed(fields, 'name', 'subject')
    return option(column, column ? read(column) : null)
  }
  if (assigned.test(verb)) {
    const column = columnNamed(fields, 'assignedToId', 'ownerId')
    return option(column, column ? read(column) : null)
  }
  const stage = object === 'opportunity' ? columnNamed(fields, 'stage') : undefined
  const date = moved.test(verb) ? columnNamed(fields, object === 'task' ? 'dueDate' : 'closeDate') : undefined
  const dated = date ? option(date, read(date)) : []
  if (dated.length > 0) return dated
  return [
    ...option(stage, stage ? read(stage) : null),
    ...byMember(fields, value).flatMap((column) => option(column, read(column))),
  ]
}

/** What each text that may be a name stands for. A candidate whose field or value has no meaning stands for nothing. */
class Candidates {
  readonly wanted = new Map<string, Wanted>()
  /** What is said if no candidate is possible: about one with a field, or about one without. */
  problem: RequestAnswer | null = null
  weakProblem: RequestAnswer | null = null

  constructor(
    private readonly message: string,
    private readonly fields: Fields,
    private readonly calendar: Calendar,
    private readonly page: FoundName | null,
  ) {}

  add({ record, field, value }: ChangeCandidate, verb: string): void {
    const said = recordWords(record)
    if (said.isBulk) {
      this.problem ??= saying(`I change one record at a time, ${nothingChanged} ${help}`)
      return
    }
    if (said.object && !changedObjects.includes(said.object)) {
      this.problem ??= saying(`I cannot propose changes of ${nounOf(said.object, 2)}, ${nothingChanged}`)
      return
    }
    if (said.isContext && (!this.page || (said.object && said.object !== this.page.object))) {
      this.problem ??= saying(`I do not know which record you mean, ${nothingChanged} Name it.`)
      return
    }
    const object = said.object ?? (said.isContext ? this.page!.object : null)
    const options = (object ? [object] : changedObjects).flatMap((one) => this.options(one, field, value, verb))
    if (options.length === 0) {
      const isField = field !== null && this.hasField(object, field)
      const words = field === null || isField ? (value ?? record) : null
      const problem = unclear(words ? textOf(this.message, words) : field!)
      if (field === null) this.weakProblem ??= problem
      else this.problem ??= problem
      return
    }
    const name = said.isContext ? null : textOf(this.message, said.words)
    const key = `${object ?? ''} ${name ?? ''}`
    const known = this.wanted.get(key)
    if (known) known.options.push(...options)
    else this.wanted.set(key, { name, options })
  }

  private hasField(object: string | null, field: string): boolean {
    return (object ? [object] : changedObjects).some((one) => this.fields.get(one)?.has(field))
  }

  private options(object: string, field: string | null, value: readonly Word[] | null, verb: string): Option[] {
    const fields = this.fields.get(object)
    if (!fields) return []
    const read = (column: Column) => readValue(column, this.message, value!, this.calendar)
    if (field === null) return impliedOptions(object, fields, verb, value, read)
    const column = fields.get(field)
    const reading = column && value ? read(column) : null
    return column && reading ? [{ object, column, reading }] : []
  }
}

interface Match {
  readonly about: FoundName
  readonly options: readonly Option[]
}

/** The one record that a name stands for, or the name that stands for nothing. Several records with the name end the answer. */
async function matchOf({ names }: Request, wanted: readonly Wanted[]): Promise<Match | { readonly missing: string }> {
  const matches: Match[] = []
  let missing: string | null = null
  for (const { name, options } of wanted.slice(0, namesMax)) {
    const objects = [...new Set(options.map(({ object }) => object))]
    const found = name === null ? [names.atPage()!] : await names.find(name, objects)
    if (found.length > 1) throw new Instead(ambiguous(name!, found.map(shownName)))
    const [about] = found
    if (about) matches.push({ about, options: options.filter(({ object }) => object === about.object) })
    else missing ??= name
  }
  const [match, ...others] = matches.filter(
    ({ about }, index) => matches.findIndex((one) => one.about.id === about.id) === index,
  )
  if (!match) return { missing: missing! }
  if (others.length > 0)
    throw new Instead(
      ambiguous(
        shownName(match.about),
        others.map(({ about }) => shownName(about)),
      ),
    )
  return match
}

interface Value {
  readonly value: unknown
  readonly words: string
}

/** The value with what must be read for it; null if it has no meaning for this record. */
async function valueOf({ names }: Request, { column, reading }: Option, record: ChangedRecord): Promise<Value | null> {
  switch (reading.kind) {
    case 'REFUSED':
      throw new Instead(saying(`${reading.message} Nothing was changed or proposed.`))
    case 'USER': {
      const user = await names.user(reading.text)
      return { value: user.id, words: user.name }
    }
    case 'RECORD': {
      const one = await names.one(reading.text, reading.object)
      return { value: one.id, words: one.label }
    }
    case 'STAGE':
      return stageOf(record, reading.text)
    case 'VALUE': {
      const { currency } = reading
      if (currency && currency !== record.currency) {
        const own = record.currency ? `in ${record.currency}` : 'without a currency of its own'
        throw new Instead(
          saying(`The ${fieldWords(column.name)} is ${own}, ${nothingChanged} Say the amount in it.`, [currency]),
        )
      }
      return reading
    }
  }
}

const same = (old: unknown, value: unknown): boolean =>
  old === value || (old !== null && typeof value === 'number' && Number(textOfNumber(old as ExactNumber)) === value)

async function fromCandidates(request: Request, parsed: ParsedChange, fields: Fields): Promise<RequestAnswer> {
  const candidates = new Candidates(request.message, fields, request.calendar, request.names.atPage())
  for (const candidate of parsed.candidates) candidates.add(candidate, parsed.verb)
  const unknown = parsed.unknownField === null ? null : unclear(parsed.unknownField)
  const problem = candidates.problem ?? unknown
  if (candidates.wanted.size === 0)
    return (
      problem ?? candidates.weakProblem ?? saying(`Say the record, the field and the value, ${nothingChanged} ${help}`)
    )
  const match = await matchOf(request, [...candidates.wanted.values()])
  if ('missing' in match) return problem ?? unclear(match.missing)
  const { about, options } = match
  for (const option of options) {
    const record = await readRecord(request.names.read, about, option.column, request.calendar.zone)
    const value = await valueOf(request, option, record)
    if (!value) continue
    const { object, column } = option
    const label = { ...about, label: record.label ?? about.label }
    const field = column.user?.field ?? column.name.replace(/Id$/, '')
    if (same(record.value, value.value))
      return saying(`The ${fieldWords(field)} of the ${shownName(label)} is already ${value.words}, ${nothingChanged}`)
    const sentence = { before: `Set ${fieldWords(field)} of ${shownName(label)} to `, value: value.words }
    const change = { object, action: 'update' as const, id: about.id, input: { [column.name]: value.value } }
    const shown = record.shown ?? (await request.names.nameOf(column, record.value))
    const lines = shown === null ? [] : [['before', shown] as const]
    return proposed(request, change, { sentence, lines, about: [label] })
  }
  const candidate = parsed.candidates.find(({ value }) => value !== null)
  return unclear(candidate ? textOf(request.message, candidate.value!) : about.label)
}

/** Proposes a change of one field of one record; null if the words are no such request. */
export async function proposeField(request: Request, words: readonly Word[]): Promise<RequestAnswer | null> {
  const fields = fieldsOf(request.calling.ctx.caller)
  const phrases = new Map(
    [...fields.values()].flatMap((one) => [...one.keys()].map((phrase): [string, true] => [phrase, true])),
  )
  const parsed = parseChange(words, phrases)
  return parsed && fromCandidates(request, parsed, fields)
}
