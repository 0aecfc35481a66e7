import type { WorkflowStepType } from '../workflow.enumerations.ts'
import { aiPrompt } from './ai-prompt.ts'
import { approval } from './approval.ts'
import { branch } from './branch.ts'
import { createRecord } from './create-record.ts'
import { createTask } from './create-task.ts'
import { customAction } from './custom-action.ts'
import { delay } from './delay.ts'
import { deleteRecord } from './delete-record.ts'
import { enrollSequence } from './enroll-sequence.ts'
import { findRecords } from './find-records.ts'
import { functionStep } from './function.ts'
import { httpRequest } from './http-request.ts'
import { loop } from './loop.ts'
import { publishEvent } from './publish-event.ts'
import { sendEmail } from './send-email.ts'
import { sendNotification } from './send-notification.ts'
import type { StepType } from './step-type.ts'
import { updateRecord } from './update-record.ts'

export const stepTypes = {
  CREATE_RECORD: createRecord,
  UPDATE_RECORD: updateRecord,
  DELETE_RECORD: deleteRecord,
  FIND_RECORDS: findRecords,
  SEND_EMAIL: sendEmail,
  CREATE_TASK: createTask,
  SEND_NOTIFICATION: sendNotification,
  HTTP_REQUEST: httpRequest,
  CUSTOM_ACTION: customAction,
  FUNCTION: functionStep,
  ENROLL_SEQUENCE: enrollSequence,
  PUBLISH_EVENT: publishEvent,
  DELAY: delay,
  BRANCH: branch,
  LOOP: loop,
  APPROVAL: approval,
  AI_PROMPT: aiPrompt,
} as const satisfies Record<WorkflowStepType, StepType>

export const stepTypeOf = (type: WorkflowStepType): StepType => stepTypes[type]
