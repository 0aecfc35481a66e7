import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { ValidationRule } from './validation-rule.ts'

export const validationRuleEvents: RecordEvents<ValidationRule> = {
  types: {
    'validation_rule.created': { operation: 'CREATE', description: 'A validation rule was created.' },
    'validation_rule.updated': {
      operation: 'UPDATE',
      description:
        'A validation rule was changed; previous holds the rule before the change and changedFields lists the changed fields.',
      before: { errorMessage: 'The amount must be positive.' },
    },
    'validation_rule.deleted': {
      operation: 'DELETE',
      description: 'A validation rule was deleted: it refuses no change any longer.',
    },
  },
}
