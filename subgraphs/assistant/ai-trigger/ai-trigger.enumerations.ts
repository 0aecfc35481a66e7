import { enumeration } from '../../kernel/record/column.ts'

export const AiTriggerStatus = enumeration('AiTriggerStatus', 'Whether a trigger starts executions.', {
  ACTIVE: 'Events and inbound requests start executions.',
  PAUSED: 'Nothing starts executions; events of this time do not start any later either.',
})
export type AiTriggerStatus = keyof typeof AiTriggerStatus

export const AiActionType = enumeration('AiActionType', 'What an action of a trigger does.', {
  UPDATE_RECORD: 'Changes fields of a record: `{object?, recordId?, values}`.',
  CREATE_TASK: 'Creates a task: `{subject, description?, type?, priority?, dueInDays?, assignedToId?, isRelated?}`.',
  SEND_NOTIFICATION: 'Notifies users of the organization: `{recipients, message}`.',
  DRAFT_EMAIL: 'Creates a draft of a mail, which a user sends or discards: `{contactId, subject, body}`.',
  PUBLISH_EVENT: 'Publishes a custom event: `{apiName, data}`.',
  CUSTOM_ACTION:
    'Runs a custom action: `{actionApiName, recordId?, input?}`; without `recordId` for the record of the event, if it is a lead, contact, account, opportunity, task or case.',
  FUNCTION: 'Runs a function: `{functionApiName, input?}`. It need not be `httpEnabled`.',
})
export type AiActionType = keyof typeof AiActionType
