import { Entity } from '@mikro-orm/decorators/legacy'
import { ObjectType } from 'type-graphql'
import { Condition, ConditionLogic } from '../../kernel/condition/condition.ts'
import { conditionsMax } from '../../kernel/condition/parse-conditions.ts'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { ManagedBy } from '../../kernel/record/managed-by.ts'
import { extendedTypeMax, extendedTypeNames } from '../extended-type.ts'

export const RuleOperations = enumeration('RuleOperations', 'Which changes a validation rule checks.', {
  CREATE: 'New records.',
  UPDATE: 'Changes of existing records, and their restoring.',
  BOTH: 'All of them.',
})
export type RuleOperations = keyof typeof RuleOperations

@ObjectType({
  description:
    'A rule that refuses a change: if the record as it would be after the change meets its conditions, nothing is changed and the answer is 422 `VALIDATION_RULE_FAILED` with the message of the rule. For owners and admins.',
})
@RequiresScope('VALIDATION_RULES')
@Entity({ schema: 'extensions', tableName: 'validation_rule' })
export class ValidationRule extends OrgRecord {
  @Column(() => String, {
    writable: 'ON_CREATE',
    indexed: true,
    max: extendedTypeMax,
    filled: true,
    description: `The record type whose records the rule checks: ${extendedTypeNames}. It never changes.`,
    example: 'OPPORTUNITY',
  })
  entityType!: string

  @Column(() => String, {
    indexed: true,
    max: 100,
    filled: true,
    description: 'Name of the rule, unique among the rules of its record type.',
    example: 'Discount needs a reason',
  })
  name!: string

  @Column(() => String, {
    nullable: true,
    max: 1000,
    description: 'Why the rule exists, for administrators; null if not set.',
    example: 'Agreed with finance in March.',
  })
  description!: string | null

  @Column(() => Boolean, {
    default: true,
    description: 'Whether the rule checks changes. A change of it applies to every write that commits afterwards.',
    example: true,
  })
  isActive!: boolean

  @Column(() => RuleOperations, {
    default: 'BOTH',
    description: 'Which changes the rule checks.',
    example: 'BOTH',
  })
  appliesTo!: RuleOperations

  @StructureColumn(() => Condition, {
    list: true,
    required: true,
    maxItems: conditionsMax,
    description:
      'When the change is refused: at least one condition on the record as it would be after the change. All fields count, also those that the profile of the caller hides. Operators about changes compare it with the record before the change. A ROLLUP_SUMMARY has the value that is stored when the rule is asked, before what the change itself adds to it: 0 or none for a new record, and the same before and after the change.',
    example: [
      { field: 'amount', operator: 'LESS_THAN', value: 0, valueType: 'LITERAL', logic: null, conditions: null },
    ],
  })
  conditions!: Condition[]

  @Column(() => ConditionLogic, { default: 'AND', description: 'How the conditions are combined.', example: 'AND' })
  logic!: ConditionLogic

  @Column(() => String, {
    max: 1000,
    filled: true,
    description: 'What the refusal says to the user who made the change.',
    example: 'The amount must not be negative.',
  })
  errorMessage!: string

  @Column(() => String, {
    nullable: true,
    max: 200,
    description:
      'Name of the field that the refusal names as its `path`, `customFields.<API name>` for a custom field; null for the record as a whole.',
    example: 'amount',
  })
  errorField!: string | null

  @ManagedBy()
  managedBy!: string | null
}
