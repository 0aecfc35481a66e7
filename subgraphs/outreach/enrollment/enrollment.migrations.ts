import type { Migration } from '../../kernel/database/migrate.ts'
import { beginWithNextEvent } from '../../kernel/outbox/event-consumer.ts'
import { columnIndexes, customFieldsIndex } from '../../kernel/record/record-table.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'

export const sequenceStopBegins: Migration = {
  name: '20261125-outreach-sequence-stop',
  sql: beginWithNextEvent('sequence_stop'),
}

export const sequenceCallTable: Migration = {
  name: '20261125-outreach-sequence-call',
  sql: `
    -- The calls of WEBHOOK steps, by the id of the attempt.
    create table outreach.sequence_call (
      organization_id uuid not null,
      id uuid not null,
      step_id uuid not null,
      url text not null,
      -- JSON; null when the call has ended.
      body text,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes({
      name: 'sequence_call',
      table: 'outreach.sequence_call',
      shares: { organization: 'organization_id', key: 'step_id', perKeyMax: 4 },
    })}
  `,
}

export const enrollmentFilterIndexes: Migration = {
  name: '20261126-outreach-enrollment-filters',
  sql: columnIndexes('outreach.sequence_enrollment', 'sequence_enrollment', ['status', 'entity_type', 'sender_id']),
}

/** Without it, a filter by a rare value reads all enrollments. */
export const enrollmentCustomFields: Migration = {
  name: '20261129-outreach-enrollment-custom-fields',
  sql: customFieldsIndex('outreach.sequence_enrollment', 'sequence_enrollment'),
}
