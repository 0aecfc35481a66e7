import { isJsonObject } from '../../kernel/json/exact-number.ts'
import type { GraphQuery } from '../../kernel/graph-port/graph-port.ts'
import type { AiAction } from '../ai-trigger/ai-action.ts'
import type { AiActionStatus } from './ai-execution.types.ts'
import type { AiActionType } from '../ai-trigger/ai-trigger.enumerations.ts'
import { objectOfType, relatedType, updatedObjects } from './changed-objects.ts'
import { recordIn, type ExecutionInput } from './fitting-input.ts'
import { filledIn, textFilledIn, type TemplateScope } from './template.ts'

type Values = Readonly<Record<string, unknown>>

/** An action with the values that follow from the answer, as it is stored: repeating it is the same request. */
export interface PlannedAction {
  readonly type: AiActionType
  readonly status: AiActionStatus
  readonly values: Values
  readonly resultId: string | null
  readonly error: string | null
}

const costMax = 1000
const dayMs = 86_400_000

interface Planning {
  readonly input: ExecutionInput
  readonly output: unknown
  readonly now: Date
}

/** The actions of a trigger for this input and answer. Targets come from the settings and from ids of the record, values also from the answer. */
export function planOf(actions: readonly AiAction[], { input, output, now }: Planning): PlannedAction[] {
  const scope: TemplateScope = { record: recordIn(input), output: isJsonObject(output) ? output : {} }
  return actions.map(({ type, config }) => ({
    type,
    status: 'PLANNED',
    values: valuesOf[type](config as Values, scope, input.type, now),
    resultId: null,
    error: null,
  }))
}

type ValuesOf = (config: Values, scope: TemplateScope, eventType: string | null, now: Date) => Values

const within = (text: string, max: number): string => Array.from(text).slice(0, max).join('')

const filledAll = (values: unknown, scope: TemplateScope): Values =>
  Object.fromEntries(Object.entries((values ?? {}) as Values).map(([name, value]) => [name, filledIn(value, scope)]))

const createTask: ValuesOf = (config, scope, eventType, now) => {
  const { subject, description, type, priority, dueInDays, assignedToId, isRelated = true } = config
  const related = isRelated ? relatedType(eventType) : null
  return {
    subject: within(textFilledIn(subject, scope), 255) || 'Task',
    ...(description !== undefined && { description: textFilledIn(description, scope) }),
    ...(type !== undefined && { type: filledIn(type, scope) }),
    ...(priority !== undefined && { priority: filledIn(priority, scope) }),
    ...(typeof dueInDays === 'number' && { dueDate: new Date(now.getTime() + dueInDays * dayMs).toISOString() }),
    ...(assignedToId !== undefined && { assignedToId: filledIn(assignedToId, scope) }),
    ...(related !== null && { relatedToType: related, relatedToId: scope.record['id'] }),
    source: 'AI',
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Paragraphs of a text: what it contains is never markup. */
const htmlOf = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escaped(paragraph.trim()).replaceAll('\n', '<br>')}</p>`)
    .join('')

const valuesOf = {
  UPDATE_RECORD: ({ object, recordId = '{{record.id}}', values }, scope, eventType) => ({
    object: object ?? objectOfType(eventType),
    recordId: filledIn(recordId, scope),
    values: filledAll(values, scope),
  }),
  CREATE_TASK: createTask,
  SEND_NOTIFICATION: ({ recipients, message }, scope) => ({
    recipients: [...new Set((recipients as unknown[]).map((each) => filledIn(each, scope)))].filter(
      (each) => typeof each === 'string',
    ),
    message: within(textFilledIn(message, scope), 1000),
  }),
  DRAFT_EMAIL: ({ contactId, subject, body }, scope) => ({
    contactId: filledIn(contactId, scope),
    subject: within(textFilledIn(subject, scope).replaceAll(/[\p{C}\p{Z}]+/gu, ' '), 255),
    bodyHtml: htmlOf(textFilledIn(body, scope)),
  }),
  PUBLISH_EVENT: ({ apiName, data }, scope) => ({ apiName, data: filledAll(data, scope) }),
  CUSTOM_ACTION: ({ actionApiName, recordId, input }, scope, eventType) => ({
    id: actionApiName,
    recordId:
      recordId === undefined
        ? updatedObjects.has(objectOfType(eventType) ?? '')
          ? (scope.record['id'] ?? null)
          : null
        : filledIn(recordId, scope),
    input: filledAll(input, scope),
  }),
  FUNCTION: ({ functionApiName, input }, scope) => ({ id: functionApiName, input: filledAll(input, scope) }),
} as const satisfies Record<AiActionType, ValuesOf>

/** The mutation of an action; null of one that is an event of the platform itself. `id` becomes the id of what it creates. */
export function mutationOf({ type, values }: PlannedAction, id: string): GraphQuery | null {
  const mutation = (document: string, variables: Values): GraphQuery => ({ document, variables, costMax })
  switch (type) {
    case 'UPDATE_RECORD': {
      const { type: name, object } = updatedObjects.get(String(values['object']))!
      const document = `mutation ($id: ID!, $input: ${name}UpdateInput!) { result: ${object}Update(id: $id, input: $input) { id } }`
      return mutation(document, { id: values['recordId'] ?? '', input: values['values'] })
    }
    case 'CREATE_TASK':
      return mutation('mutation ($input: TaskCreateInput!) { result: taskCreate(input: $input) { id } }', {
        input: { ...values, id },
      })
    case 'DRAFT_EMAIL':
      return mutation(
        'mutation ($input: SmartEmailDraftCreateInput!) { result: smartEmailDraftCreate(input: $input) { id } }',
        { input: { ...values, id } },
      )
    case 'PUBLISH_EVENT':
      return mutation(
        'mutation ($apiName: String!, $data: JSON!) { result: customEventPublish(apiName: $apiName, data: $data) { id } }',
        values,
      )
    case 'CUSTOM_ACTION': {
      const { id: key, recordId, input } = values
      return mutation(
        'mutation ($id: String!, $input: CustomActionExecuteInput!) { result: customActionExecute(id: $id, input: $input) { status error { code message } } }',
        { id: key, input: { recordId, input } },
      )
    }
    case 'FUNCTION': {
      const { id: key, input } = values
      // Its depth follows from the caller.
      return mutation(
        'mutation ($id: String!, $input: ServerlessFunctionInvokeInput!) { result: serverlessFunctionInvoke(id: $id, depth: 0, input: $input) { id: invocationId status error { message } } }',
        { id: key, input: { input } },
      )
    }
    default:
      return null
  }
}
