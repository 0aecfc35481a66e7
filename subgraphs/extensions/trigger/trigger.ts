import { Entity } from '@mikro-orm/decorators/legacy'
import { Int, ObjectType } from 'type-graphql'
import { Condition, ConditionLogic } from '../../kernel/condition/condition.ts'
import { conditionsMax } from '../../kernel/condition/parse-conditions.ts'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { ManagedBy } from '../../kernel/record/managed-by.ts'
import { extendedTypeMax, extendedTypeNames } from '../extended-type.ts'
import { SaveOperation } from '../save-operation.ts'
import { positionMax, timeoutBounds, timeoutDefault } from './bounds.ts'

@ObjectType({
  description:
    'A trigger that runs a serverless function after changes of records were saved: at least once for each change, soon after it. For owners and admins.',
})
@RequiresScope('HOOKS')
@Entity({ schema: 'extensions', tableName: 'after_save_trigger' })
export class AfterSaveTrigger extends OrgRecord {
  @Column(() => String, {
    writable: 'ON_CREATE',
    indexed: true,
    max: extendedTypeMax,
    filled: true,
    description: `The record type whose changes the trigger reacts to: ${extendedTypeNames}. It never changes.`,
    example: 'OPPORTUNITY',
  })
  objectType!: string

  @Column(() => String, {
    indexed: true,
    max: 100,
    filled: true,
    description: 'Name of the trigger, unique among the triggers of its record type.',
    example: 'Tell the ERP',
  })
  name!: string

  @Column(() => String, {
    nullable: true,
    max: 1000,
    description: 'Why the trigger exists, for administrators; null if not set.',
    example: 'The ERP needs each order within a minute.',
  })
  description!: string | null

  @Column(() => Boolean, {
    default: true,
    description:
      'Whether the trigger reacts to changes. It reacts to those that are committed after it was turned on; what was queued is not run after it was turned off.',
    example: true,
  })
  isActive!: boolean

  @Column(() => [SaveOperation], {
    maxItems: 3,
    description:
      'The changes that the trigger reacts to, at least one. Restoring a record is an UPDATE, and so is the conversion of a lead.',
    example: ['CREATE', 'UPDATE'],
  })
  operations!: SaveOperation[]

  @StructureColumn(() => Condition, {
    list: true,
    maxItems: conditionsMax,
    description:
      'Which changes: conditions on the record after the change, as the user of the function may see it. Operators about changes compare it with the record before the change. Empty: all.',
    example: [
      { field: 'amount', operator: 'GREATER_THAN', value: 1000, valueType: 'LITERAL', logic: null, conditions: null },
    ],
  })
  conditions!: Condition[]

  @Column(() => ConditionLogic, { default: 'AND', description: 'How the conditions are combined.', example: 'AND' })
  logic!: ConditionLogic

  @Column(() => String, {
    max: 48,
    description: 'The apiName of the serverless function that is run.',
    example: 'tell_erp',
  })
  function!: string

  @Column(() => Int, {
    default: timeoutDefault,
    ...timeoutBounds,
    description:
      'Milliseconds after which an invocation has failed. The timeout of the function applies too if it is smaller.',
    example: timeoutDefault,
  })
  timeoutMs!: number

  @Column(() => Int, {
    default: 0,
    minimum: 0,
    maximum: positionMax,
    description:
      'Triggers of one change are run one after another by their position, those with the same position by their creation. One that fails does not stop the others. Between changes there is no order.',
    example: 10,
  })
  position!: number

  /** The types of the events of such changes. */
  @Column(() => [String], { internal: true })
  eventTypes!: string[]

  @ManagedBy()
  managedBy!: string | null
}
