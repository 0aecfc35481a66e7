import type { FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import { enumerationOf } from '../../kernel/record/column.ts'
import { scheduleProblem } from '../function/schedule.ts'
import { eventTypesOfChange } from '../subscription/record-changes.ts'
import { objectNamed, objectRule, shapeOf, type WorkflowObject } from './objects.ts'
import type { Workflow } from './workflow.ts'
import type { WorkflowTriggerType } from './workflow.enumerations.ts'

type Config = Readonly<Record<string, unknown>>
type Triggered = Pick<Workflow, 'triggerType' | 'triggerEntity' | 'triggerConfig'>

const fieldsMax = 20
const offsetMinutesMax = 525_600

const configOf = ({ triggerConfig }: Pick<Triggered, 'triggerConfig'>): Config =>
  isJsonObject(triggerConfig) ? triggerConfig : {}

const problem = (path: string, code: string, rule: string): FieldProblem => ({
  path,
  code,
  message: `${path} ${rule}.`,
})
const configPath = 'triggerConfig'

/** Members that the settings of a type must not have. */
function unknownMembers(config: Config, allowed: readonly string[]): FieldProblem[] {
  const rule =
    allowed.length > 0 ? `is not one of ${allowed.join(', ')}` : 'must be absent, because the type has no settings'
  return Object.keys(config)
    .filter((name) => !allowed.includes(name))
    .map((name) => problem(`${configPath}.${name.slice(0, 64)}`, 'UNKNOWN_FIELD', rule))
}

/** A field that can change, or whose time can come. */
const columnNamed = (object: WorkflowObject, name: unknown) => {
  const column = typeof name === 'string' ? shapeOf(object).columns.byName.get(name) : undefined
  return column && !column.internal ? column : null
}

function fieldProblems(config: Config, object: WorkflowObject): FieldProblem[] {
  const { fields } = config
  const path = `${configPath}.fields`
  if (!Array.isArray(fields) || fields.length === 0 || fields.length > fieldsMax)
    return [problem(path, 'WRONG_VALUE', `must be a list of 1 to ${fieldsMax} names of fields`)]
  const isField = (name: unknown) =>
    columnNamed(object, name) !== null || (typeof name === 'string' && /^customFields\.[A-Za-z_]\w{0,63}$/.test(name))
  return fields.flatMap((name, index) =>
    isField(name) ? [] : [problem(`${path}.${index}`, 'UNKNOWN_FIELD', `must be a field of ${object.object}`)],
  )
}

function stageProblems(config: Config, object: WorkflowObject): FieldProblem[] {
  if (object.stage === null) return [problem('triggerEntity', 'NOT_ALLOWED', 'must be a type with a stage or a status')]
  const members = enumerationOf(shapeOf(object).columns.byName.get(object.stage)!)
  return ['from', 'to'].flatMap((name) => {
    const value = config[name]
    if (value === undefined || value === null) return []
    const isRight = typeof value === 'string' && value.length <= 100 && (!members || Object.hasOwn(members, value))
    const rule = members ? `must be one of ${Object.keys(members).join(', ')}` : 'must be text'
    return isRight ? [] : [problem(`${configPath}.${name}`, 'WRONG_VALUE', rule)]
  })
}

const cronMessages = {
  WRONG_FORMAT: 'must be five cron fields that come true, such as 0 6 * * * for every day at six',
  OUT_OF_RANGE: 'must come true at most every 5 minutes',
}

function timeProblems(config: Config, object: WorkflowObject | null): FieldProblem[] {
  const { cron, field, offsetMinutes = 0 } = config
  if (cron !== undefined) {
    if (field !== undefined || config['offsetMinutes'] !== undefined)
      return [problem(`${configPath}.field`, 'NOT_ALLOWED', 'must be absent with cron')]
    const wrong = typeof cron === 'string' && cron.length <= 120 ? scheduleProblem(cron) : 'WRONG_FORMAT'
    if (wrong) return [problem(`${configPath}.cron`, wrong, cronMessages[wrong])]
    return object
      ? [problem('triggerEntity', 'NOT_ALLOWED', 'must be null with cron, because such a run has no record')]
      : []
  }
  if (!object) return [problem(`${configPath}.cron`, 'REQUIRED', 'is required without triggerEntity')]
  const problems: FieldProblem[] = []
  const column = columnNamed(object, field)
  if (!column?.indexed || !['timestamp', 'date'].includes(column.kind)) {
    const times = shapeOf(object).columns.shown.filter(
      ({ indexed, kind }) => indexed && (kind === 'timestamp' || kind === 'date'),
    )
    const rule = `must be one of ${times.map(({ name }) => name).join(', ')}`
    problems.push(problem(`${configPath}.field`, field === undefined ? 'REQUIRED' : 'NOT_ALLOWED', rule))
  }
  if (!Number.isInteger(offsetMinutes) || Math.abs(offsetMinutes as number) > offsetMinutesMax) {
    const rule = `must be an integer from -${offsetMinutesMax} to ${offsetMinutesMax}`
    problems.push(problem(`${configPath}.offsetMinutes`, 'OUT_OF_RANGE', rule))
  }
  return problems
}

const members: Readonly<Partial<Record<WorkflowTriggerType, readonly string[]>>> = {
  FIELD_CHANGED: ['fields'],
  STAGE_CHANGED: ['from', 'to'],
  TIME_BASED: ['cron', 'field', 'offsetMinutes'],
}

const withoutRecord: ReadonlySet<WorkflowTriggerType> = new Set(['WEBHOOK', 'MANUAL', 'TIME_BASED'])

/** What is wrong with the trigger of a workflow. Whether a custom object exists is another question. */
export function triggerProblems(next: Triggered): FieldProblem[] {
  const { triggerType, triggerEntity, triggerConfig } = next
  if (!isJsonObject(triggerConfig)) return [problem(configPath, 'WRONG_TYPE', 'must be an object')]
  const object = objectNamed(triggerEntity)
  if (triggerEntity !== null && !object) return [problem('triggerEntity', 'WRONG_VALUE', objectRule)]
  if (!object && !withoutRecord.has(triggerType))
    return [problem('triggerEntity', 'REQUIRED', `is required for ${triggerType}`)]
  if (object && triggerType === 'WEBHOOK')
    return [problem('triggerEntity', 'NOT_ALLOWED', 'must be null for WEBHOOK, because its runs have no record')]
  const unknown = unknownMembers(triggerConfig, members[triggerType] ?? [])
  if (unknown.length > 0) return unknown
  switch (triggerType) {
    case 'FIELD_CHANGED':
      return fieldProblems(triggerConfig, object!)
    case 'STAGE_CHANGED':
      return stageProblems(triggerConfig, object!)
    case 'TIME_BASED':
      return timeProblems(triggerConfig, object)
    default:
      return []
  }
}

const operations = {
  RECORD_CREATED: 'CREATE',
  RECORD_UPDATED: 'UPDATE',
  FIELD_CHANGED: 'UPDATE',
  STAGE_CHANGED: 'UPDATE',
  RECORD_DELETED: 'DELETE',
} as const

/** The types of events that may start the workflow; of several events of one update, the first one starts it. */
export function eventTypesOf(next: Triggered): string[] {
  const operation = (operations as Partial<Record<WorkflowTriggerType, 'CREATE' | 'UPDATE' | 'DELETE'>>)[
    next.triggerType
  ]
  const object = objectNamed(next.triggerEntity)
  return operation && object ? eventTypesOfChange(shapeOf(object), operation) : []
}

/** The names of the fields that an event changed; a field without a value before and after is not changed. */
const changedFieldsOf = ({ data }: Pick<LoggedEvent, 'data'>): readonly string[] => {
  const { changedFields } = data
  return Array.isArray(changedFields) ? (changedFields as readonly string[]) : []
}

/** Whether the change of an event, as the run-as user sees it, is what the trigger waits for. */
export function isTriggeredBy(next: Triggered, event: Pick<LoggedEvent, 'data'>): boolean {
  const config = configOf(next)
  const changed = changedFieldsOf(event)
  if (next.triggerType === 'FIELD_CHANGED') return (config['fields'] as string[]).some((name) => changed.includes(name))
  if (next.triggerType === 'RECORD_UPDATED') return changed.length > 0
  if (next.triggerType !== 'STAGE_CHANGED') return true
  const stage = objectNamed(next.triggerEntity)!.stage!
  const { record, previous } = event.data as { readonly record: Config; readonly previous: Config | null }
  const { from = null, to = null } = config
  if (!changed.includes(stage)) return false
  return (from === null || previous?.[stage] === from) && (to === null || record[stage] === to)
}

export interface FieldTime {
  readonly field: string
  readonly offsetMinutes: number
}

/** When a workflow is started by time: its cron fields, or the field of records. */
export function timeOf(next: Triggered): { readonly cron: string } | FieldTime | null {
  if (next.triggerType !== 'TIME_BASED') return null
  const { cron, field, offsetMinutes = 0 } = configOf(next)
  return typeof cron === 'string' ? { cron } : { field: field as string, offsetMinutes: offsetMinutes as number }
}
