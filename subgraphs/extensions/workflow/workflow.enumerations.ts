import { enumeration } from '../../kernel/record/column.ts'

export const WorkflowStatus = enumeration('WorkflowStatus', 'Whether a workflow starts runs.', {
  ACTIVE: 'Its trigger starts runs.',
  PAUSED: 'Nothing starts runs; runs that have begun go on, and those that wait for their begin are SKIPPED.',
})
export type WorkflowStatus = keyof typeof WorkflowStatus

export const WorkflowTriggerType = enumeration('WorkflowTriggerType', 'What starts the runs of a workflow.', {
  RECORD_CREATED: 'A record of `triggerEntity` was created.',
  RECORD_UPDATED: 'A record of `triggerEntity` was changed.',
  RECORD_DELETED: 'A record of `triggerEntity` was deleted.',
  FIELD_CHANGED: 'One of the fields of `triggerConfig.fields` of a record was changed.',
  STAGE_CHANGED: 'The stage of an opportunity, or the status of another record, was changed.',
  TIME_BASED: 'A schedule came true, or the time of a field of a record has come.',
  WEBHOOK: 'A signed request to `hookUrl`.',
  MANUAL: 'Only the operation that runs it.',
})
export type WorkflowTriggerType = keyof typeof WorkflowTriggerType

export const WorkflowStepType = enumeration('WorkflowStepType', 'What a step of a workflow does.', {
  CREATE_RECORD:
    'Creates a record: `{object, values}`; `object` is a type of records, also a custom object: `custom:site_visit`. Output: `{id, object}`.',
  UPDATE_RECORD:
    'Changes a record: `{object?, recordId?, values}`; without them the record of the run. Output: `{id, object}`.',
  DELETE_RECORD: 'Deletes a record: `{object?, recordId?}`. Output: `{id, object}`.',
  FIND_RECORDS:
    'Reads records: `{object, filter?, orderBy?, limit?, fields?}`; `filter` is a filter of the graph, `orderBy` `{field, direction}`, `limit` 1 to 100 (default 20). Output: `{count, records}`.',
  SEND_EMAIL:
    'Sends a mail: `{to, subject?, bodyHtml?, bodyText?, templateId?, variables?, cc?, bcc?, contactId?, leadId?, accountId?, opportunityId?, threadId?, mailboxId?, trackOpens?, trackClicks?}`. Output: `{id}`.',
  CREATE_TASK:
    'Creates a task: `{subject, description?, type?, priority?, dueInDays?, assignedToId?, isRelated?}`, related to the record of the run unless `isRelated` is false. Output: `{id}`.',
  SEND_NOTIFICATION:
    'Notifies users of the organization: `{recipients, message}`, at most 20 ids of users. Output: `{recipients}`.',
  HTTP_REQUEST:
    'Sends a request: `{method, url, headers?, body?, timeoutMs?, idempotent?}`. It has the key of the step as `Idempotency-Key`. Statuses from 300 on are a failure. Output: `{status, body}`.',
  CUSTOM_ACTION:
    'Runs a custom action: `{actionApiName, recordId?, input?, idempotent?}`, for the record of the run if `recordId` is not given. An action that is INTERRUPTED is run again if `idempotent`. Output: that of the action.',
  FUNCTION: 'Runs a function: `{functionApiName, input?, idempotent?}`. Output: what the function returned.',
  ENROLL_SEQUENCE:
    'Enrolls a lead or contact in a sequence: `{sequenceId, entityType?, entityId?, senderId?, allowOtherSequences?}`. Output: `{id}`.',
  PUBLISH_EVENT: 'Publishes a custom event: `{apiName, data}`. Output: `{id}`.',
  DELAY: 'Waits: `{minutes}`, or `{until}` a time. It survives restarts. Output: `{until}`.',
  BRANCH:
    'Goes on with the first of `branches` whose conditions are met, otherwise with `next`. Conditions may name fields of the record, and `input.<name>`, `item.<name>` or `steps.<id>.output.<name>`. Output: `{branch}`.',
  LOOP: 'Executes the steps from `config.body` on for each of `config.items`, a list of at most 1,000, as `{{item}}` and `{{index}}`. Output: `{count}`.',
  APPROVAL:
    'Waits until somebody approves or rejects: `{approverIds, message?, expiresInHours?, onRejected?}`. A rejection goes on with the step `onRejected`, and without it is a failure. Output: `{decision, decidedById, comment}`.',
  AI_PROMPT:
    'Asks the language model: `{prompt, outputSchema?}`. A failure where none is configured. Output: `{text}`, or an object that fits the schema.',
})
export type WorkflowStepType = keyof typeof WorkflowStepType

export const WorkflowOnError = enumeration('WorkflowOnError', 'What follows when a step fails.', {
  FAIL: 'The run fails.',
  CONTINUE: 'The run goes on with `next`.',
  RETRY: 'The step is attempted again after 10 seconds, 1 minute and 5 minutes; then the run fails.',
})
export type WorkflowOnError = keyof typeof WorkflowOnError

export const WorkflowRunStatus = enumeration('WorkflowRunStatus', 'How far a run of a workflow has come.', {
  QUEUED: 'It waits for its begin.',
  RUNNING: 'Its steps are executed.',
  WAITING: 'It waits for the end of a delay or for an approval.',
  SUCCEEDED: 'It has come to its end.',
  FAILED: 'It has ended before; `error` says why. It can be retried.',
  CANCELLED: 'Somebody has ended it, or its workflow was deleted.',
  SKIPPED: 'It was not begun, because the workflow was paused or deleted before.',
})
export type WorkflowRunStatus = keyof typeof WorkflowRunStatus

export const WorkflowStepStatus = enumeration('WorkflowStepStatus', 'What became of a step of a run.', {
  RUNNING: 'It is executed, or its next attempt is due.',
  WAITING: 'It waits for the end of a delay or for an approval.',
  SUCCEEDED: 'It was executed.',
  FAILED: 'It has failed; `error` says why.',
  CANCELLED: 'The run was cancelled while it was executed.',
})
export type WorkflowStepStatus = keyof typeof WorkflowStepStatus

export const WorkflowDecision = enumeration('WorkflowDecision', 'How an approval was decided.', {
  APPROVED: 'The run goes on with the next step.',
  REJECTED: 'The run goes on with `onRejected`, or fails.',
})
export type WorkflowDecision = keyof typeof WorkflowDecision
