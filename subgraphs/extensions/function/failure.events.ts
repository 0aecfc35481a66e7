import type { TrackedObject } from '../../kernel/record/event-types.ts'
import type { InvocationStatus, InvocationTrigger } from './function.enumerations.ts'

/** An invocation that failed for good. */
export interface FailedInvocation {
  readonly id: string
  readonly organizationId: string
  readonly functionId: string
  readonly apiName: string
  /** The user who last changed the settings of the function. */
  readonly ownerId: string | null
  readonly versionId: string | null
  readonly trigger: InvocationTrigger
  readonly status: InvocationStatus
  readonly error: string | null
  readonly eventId: string | null
  readonly startedAt: string
}

/** The event of an invocation that an event or a schedule started, and that is not attempted again. */
export const functionFailures: TrackedObject<FailedInvocation> = {
  object: 'function_invocation',
  eventTypes: { CREATE: 'function.failed' },
  isAdministrative: true,
  events: {
    types: {
      'function.failed': {
        operation: 'CREATE',
        description:
          'An invocation of a function that an event or a schedule started has failed, and is not attempted again.',
      },
    },
    sample: {
      id: '019a0c61-3c10-7d52-b7a9-0f4e6c1d2a83',
      organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
      functionId: '019a0c5e-7f00-7e52-9b13-4d7c2a9e6f05',
      apiName: 'score_lead',
      ownerId: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
      versionId: '019a0c5e-7f00-7f10-8a44-3b6d1e8c2f07',
      trigger: 'SCHEDULE',
      status: 'TIMEOUT',
      error: null,
      eventId: null,
      startedAt: '2026-11-02T08:15:00.000Z',
    },
    payload: {
      properties: {
        id: 'id',
        organizationId: 'id',
        functionId: 'id',
        apiName: 'text',
        ownerId: 'id?',
        versionId: 'id?',
        trigger: 'text',
        status: 'text',
        error: 'text?',
        eventId: 'text?',
        startedAt: 'timestamp',
      },
      of: (record) => record,
    },
  },
}
