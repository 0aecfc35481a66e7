import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { SequenceAttempt } from './attempt.ts'

/** The executions of steps. Only the worker writes them, in the transaction of their effect, so they have no events of their own. */
export const sequenceAttempt: RecordDefinition<SequenceAttempt> = defineRecord(SequenceAttempt, {
  object: 'sequence_attempt',
  table: 'outreach.sequence_attempt',
  visibleBy: [],
  searchable: [],
  totals: {
    by: ['sequenceId', 'stepId', 'variantId', 'result'],
    measures: {
      opened: { count: 'openedAt' },
      clicked: { count: 'clickedAt' },
      replied: { count: 'repliedAt' },
      bounced: { count: 'bouncedAt' },
    },
  },
  events: { types: {} },
})
