import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { DuplicateRule } from './duplicate-rule.ts'

export const duplicateRuleEvents: RecordEvents<DuplicateRule> = {
  types: {
    'duplicate_rule.created': { operation: 'CREATE', description: 'A rule of duplicates was created.' },
    'duplicate_rule.updated': {
      operation: 'UPDATE',
      description:
        'A rule of duplicates was changed, or compares all records now; previous holds the rule before the change and changedFields lists the changed fields.',
      before: { action: 'REPORT' },
    },
    'duplicate_rule.deleted': {
      operation: 'DELETE',
      description: 'A rule of duplicates was deleted: it holds no longer.',
    },
  },
}
