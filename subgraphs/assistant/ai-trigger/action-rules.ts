import type { FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { writableColumns } from '../../kernel/record/inputs.ts'
import { recordNamed, recordType } from '../../kernel/record/record-registry.ts'
import { objectOfType, updatedObjects } from '../ai-execution/changed-objects.ts'
import type { AiAction } from './ai-action.ts'
import type { AiActionType } from './ai-trigger.enumerations.ts'
import { ConfigCheck, type Freedom } from './check-config.ts'

export const recipientsMax = 20

interface Trigger {
  readonly eventType: string | null
  readonly actions: readonly AiAction[]
}

/** The problems of the actions of a trigger; `outputs` are the properties of its answer. */
export const actionProblems = ({ eventType, actions }: Trigger, outputs: ReadonlySet<string>): FieldProblem[] =>
  actions.flatMap(({ type, config }, index) => {
    const path = `actions.${index}`
    return checks[type](config, `${path}.config`, outputs, eventType)
  })

/** Of the payload of a custom event or an inbound request, whoever wrote the trigger knows which fields have ids. */
function hasIds(eventType: string | null): (field: string) => boolean {
  const shape = eventType === null ? undefined : recordNamed(eventType.slice(0, eventType.lastIndexOf('.')))
  return (field) => !shape || shape.columns.byName.get(field)?.kind === 'id'
}

type Check = (config: unknown, path: string, outputs: ReadonlySet<string>, eventType: string | null) => FieldProblem[]

const updateRecord: Check = (config, path, outputs, eventType) => {
  const check = new ConfigCheck(config, path, outputs, hasIds(eventType), ['object', 'recordId', 'values'])
  const names = [...updatedObjects.keys()]
  check.oneOf('object', names)
  check.target('recordId')
  const name = check.config['object'] ?? objectOfType(eventType)
  const object = typeof name === 'string' ? updatedObjects.get(name) : undefined
  if (!object) {
    if (check.config['object'] === undefined)
      check.refuse(
        'object',
        'REQUIRED',
        `is required, one of ${names.join(', ')}, because the event is about none of them`,
      )
    return check.problems
  }
  const shape = recordType(object.object)()
  const writable = new Map(writableColumns(shape.entity, 'UPDATE').map((column) => [column.name, column]))
  check.values('values', 50, (field): Freedom | null => {
    const column = writable.get(field)
    if (!column) return null
    if (column.kind === 'id' || /Ids?$/.test(field)) return 'ID'
    return column.isEmail || /emails?$/i.test(field) ? 'FIXED' : 'FREE'
  })
  return check.problems
}

const createTask: Check = (config, path, outputs, eventType) => {
  const members = ['subject', 'description', 'type', 'priority', 'dueInDays', 'assignedToId', 'isRelated']
  const check = new ConfigCheck(config, path, outputs, hasIds(eventType), members)
  check.text('subject', 255, true)
  check.text('description', 5000)
  check.text('type', 100)
  check.text('priority', 100)
  check.integer('dueInDays', 0, 365)
  check.target('assignedToId')
  check.flag('isRelated')
  return check.problems
}

const sendNotification: Check = (config, path, outputs, eventType) => {
  const check = new ConfigCheck(config, path, outputs, hasIds(eventType), ['recipients', 'message'])
  check.targets('recipients', recipientsMax)
  check.text('message', 1000, true)
  return check.problems
}

const draftEmail: Check = (config, path, outputs, eventType) => {
  const check = new ConfigCheck(config, path, outputs, hasIds(eventType), ['contactId', 'subject', 'body'])
  check.target('contactId', true)
  check.text('subject', 255, true)
  check.text('body', 20_000, true)
  return check.problems
}

const publishEvent: Check = (config, path, outputs, eventType) => {
  const check = new ConfigCheck(config, path, outputs, hasIds(eventType), ['apiName', 'data'])
  const { apiName } = check.config
  if (typeof apiName !== 'string' || !/^[a-z][a-z0-9_]{1,47}$/.test(apiName))
    check.refuse('apiName', 'WRONG_VALUE', 'must be the apiName of a custom event type')
  if (isJsonObject(check.config['data']) && Object.keys(check.config['data']).length === 0) return check.problems
  check.values('data', 100, () => 'FREE')
  return check.problems
}

/** An action or function of the organization, by its name, with values for its input. */
const namedCheck =
  (setting: string, ...more: readonly string[]): Check =>
  (config, path, outputs, eventType) => {
    const check = new ConfigCheck(config, path, outputs, hasIds(eventType), [setting, ...more, 'input'])
    const apiName = check.config[setting]
    if (typeof apiName !== 'string' || !/^[a-z][a-z0-9_]{1,47}$/.test(apiName))
      check.refuse(setting, 'WRONG_VALUE', 'must be an apiName')
    if (more.includes('recordId')) check.target('recordId')
    const { input = {} } = check.config
    if (isJsonObject(input) && Object.keys(input).length === 0) return check.problems
    check.values('input', 100, () => 'FREE')
    return check.problems
  }

const checks = {
  UPDATE_RECORD: updateRecord,
  CREATE_TASK: createTask,
  SEND_NOTIFICATION: sendNotification,
  DRAFT_EMAIL: draftEmail,
  PUBLISH_EVENT: publishEvent,
  CUSTOM_ACTION: namedCheck('actionApiName', 'recordId'),
  FUNCTION: namedCheck('functionApiName'),
} as const satisfies Record<AiActionType, Check>
