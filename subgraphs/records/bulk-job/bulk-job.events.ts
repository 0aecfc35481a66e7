import type { EventPayload, TrackedObject } from '../../kernel/record/event-types.ts'

/** A bulk job in its event. */
export interface BulkJobPayload {
  readonly id: string
  readonly organizationId: string
  /** The record type. */
  readonly jobObject: string
  readonly operation: string
  readonly state: string
  readonly createdById: string
  readonly recordsSucceeded: number
  readonly recordsFailed: number
  readonly recordsSkipped: number
  readonly errorCode: string | null
}

const sample = {
  id: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  jobObject: 'account',
  operation: 'INSERT',
  state: 'JOB_COMPLETE',
  createdById: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  recordsSucceeded: 99_988,
  recordsFailed: 12,
  recordsSkipped: 0,
  errorCode: null,
}

const payload: EventPayload<BulkJobPayload> = {
  properties: {
    id: 'id',
    organizationId: 'id',
    jobObject: 'text',
    operation: 'text',
    state: 'text',
    createdById: 'id',
    recordsSucceeded: 'integer',
    recordsFailed: 'integer',
    recordsSkipped: 'integer',
    errorCode: 'text?',
  },
  of: (job) => job,
}

export const bulkJobChanges: TrackedObject<BulkJobPayload> = {
  object: 'bulk_job',
  isAdministrative: true,
  eventTypes: { UPDATE: 'bulk.completed' },
  events: {
    types: {
      'bulk.completed': {
        operation: 'UPDATE',
        description: 'A bulk job has ended: its `state` is JOB_COMPLETE, FAILED or ABORTED.',
        before: { state: 'IN_PROGRESS' },
      },
    },
    sample,
    payload: payload as EventPayload,
  },
}
