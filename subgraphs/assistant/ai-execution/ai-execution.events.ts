import type { EventPayload, TrackedObject } from '../../kernel/record/event-types.ts'

/** An execution in its events: nothing of what the model got or answered, except the text of a notification. */
export interface ExecutionPayload {
  readonly id: string
  readonly organizationId: string
  readonly triggerId: string
  readonly triggerName: string
  readonly ownerId: string
  readonly recipientIds?: readonly string[]
  readonly message?: string
}

const sample = {
  id: '019a0c61-3c10-7d52-b7a9-0f4e6c1d2a91',
  organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  triggerId: '019a0c5e-7f00-7b21-9c44-5e8d2a7f1c71',
  triggerName: 'Qualify new leads',
  ownerId: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
}

const payload: EventPayload<ExecutionPayload> = {
  properties: {
    id: 'id',
    organizationId: 'id',
    triggerId: 'id',
    triggerName: 'text',
    ownerId: 'id',
    recipientIds: 'textList',
    message: 'text',
  },
  of: (execution) => execution,
}

export const executionChanges: TrackedObject<ExecutionPayload> = {
  object: 'ai_execution',
  isAdministrative: true,
  eventTypes: { CREATE: 'ai_execution.awaiting_approval' },
  events: {
    types: {
      'ai_execution.awaiting_approval': {
        operation: 'CREATE',
        description: 'The actions of an execution of an AI workflow wait for somebody who approves them.',
        sample,
      },
      'ai_execution.notified': {
        operation: 'CREATE',
        description: 'An AI workflow notifies users; the record has their ids as `recipientIds`, and the `message`.',
        sample: { ...sample, recipientIds: [sample.ownerId], message: 'A large order came in.' },
      },
    },
    sample,
    payload: payload as EventPayload,
  },
}
