import type { EventPayload, TrackedObject } from '../../kernel/record/event-types.ts'

/** A run in its events: nothing of what its steps got or returned, except the text of a notification. */
export interface RunPayload {
  readonly id: string
  readonly organizationId: string
  readonly workflowId: string
  readonly workflowName: string
  /** The user who last changed the workflow. */
  readonly ownerId: string
  readonly stepId: string | null
  readonly recordType: string | null
  readonly recordId: string | null
  readonly errorCode?: string | null
  readonly errorMessage?: string | null
  readonly recipientIds?: readonly string[]
  readonly message?: string
}

const sample = {
  id: '019a0c61-3c10-7d52-b7a9-0f4e6c1d2b11',
  organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  workflowId: '019a0c5e-7f00-7b11-9c44-5e8d2a7f1c11',
  workflowName: 'Call new leads',
  ownerId: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  stepId: 'call',
  recordType: 'LEAD',
  recordId: '019a0c5e-7f00-7a31-8b1c-2d3e4f5a6b7c',
}

const payload: EventPayload<RunPayload> = {
  properties: {
    id: 'id',
    organizationId: 'id',
    workflowId: 'id',
    workflowName: 'text',
    ownerId: 'id',
    stepId: 'text?',
    recordType: 'text?',
    recordId: 'text?',
    errorCode: 'text?',
    errorMessage: 'text?',
    recipientIds: 'textList',
    message: 'text',
  },
  of: (run) => run,
}

export const runChanges: TrackedObject<RunPayload> = {
  object: 'workflow_run',
  isAdministrative: true,
  eventTypes: { CREATE: 'workflow.failed' },
  events: {
    types: {
      'workflow.failed': {
        operation: 'CREATE',
        description: 'A run of a workflow has failed.',
        sample: {
          ...sample,
          errorCode: 'PERMISSION_DENIED',
          errorMessage: 'Your role may read but not change records.',
        },
      },
      'workflow.awaiting_approval': {
        operation: 'CREATE',
        description: 'A run of a workflow waits for the approval of one of the users in `recipientIds`.',
        sample: { ...sample, recipientIds: [sample.ownerId], message: 'May the discount be granted?' },
      },
      'workflow.notified': {
        operation: 'CREATE',
        description: 'A workflow notifies users; the record has their ids as `recipientIds`, and the `message`.',
        sample: { ...sample, recipientIds: [sample.ownerId], message: 'A large order came in.' },
      },
    },
    sample,
    payload: payload as EventPayload,
  },
}
