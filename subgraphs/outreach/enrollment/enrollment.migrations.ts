import type { Migration } from '../../kernel/database/migrate.ts'
import { beginWithNextEvent } from '../../kernel/outbox/event-consumer.ts'

export const sequenceStopBegins: Migration = {
  name: '20261125-outreach-sequence-stop',
  sql: beginWithNextEvent('sequence_stop'),
}
