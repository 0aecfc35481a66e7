import { Entity } from '@mikro-orm/decorators/legacy'
import { Float, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { DuplicateMethod } from '../../kernel/record/duplicates/duplicate-method.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Part, Structure, StructureColumn } from '../../kernel/record/structure.ts'
import { DuplicateAction, DuplicateLogic, DuplicateRuleState } from './duplicate-rule.enumerations.ts'

/** The record types of the platform that can have such rules. Besides them there are custom objects. */
export const builtInObjects = ['account', 'contact', 'lead'] as const

const objectNames = `${builtInObjects.join(', ')}, or \`custom:\` and the name of a custom object, such as \`custom:site_visit\``

export const matchersMax = 5
/** Matchers with the method FUZZY in the active rules of a record type: each compares many records. */
export const fuzzyMatchersMax = 3

@Structure('DuplicateMatcher', 'The comparison of one field of two records.')
export class DuplicateMatcher {
  @Part(() => String, {
    max: 200,
    filled: true,
    description:
      'Name of the field, `customFields.<API name>` for a custom field. All methods but EXACT need a field of text, and FUZZY one that is searched. Lists, formulas and rollups cannot be compared.',
    example: 'email',
  })
  field!: string

  @Part(() => DuplicateMethod, { description: 'How the values are compared.', example: 'EMAIL' })
  method!: DuplicateMethod

  @Part(() => Float, {
    nullable: true,
    minimum: 0.7,
    maximum: 1,
    description: 'FUZZY: how similar the texts are at least; needed for it, and null for all other methods.',
    example: null,
  })
  threshold!: number | null
}

@ObjectType({
  description:
    'When records of a type are duplicates of one another, and whether a change that makes some is refused. For owners and admins.',
})
@RequiresScope('DUPLICATE_RULES')
@Entity({ schema: 'extensions', tableName: 'duplicate_rule' })
export class DuplicateRule extends OrgRecord {
  @Column(() => String, {
    writable: 'ON_CREATE',
    indexed: true,
    max: 70,
    filled: true,
    description: `The record type whose records the rule compares: ${objectNames}. It never changes.`,
    example: 'contact',
  })
  object!: string

  @Column(() => String, {
    indexed: true,
    max: 100,
    filled: true,
    description: 'Name of the rule, unique among the rules of its record type. It is shown where a duplicate is found.',
    example: 'Same mailbox',
  })
  name!: string

  @StructureColumn(() => DuplicateMatcher, {
    list: true,
    required: true,
    maxItems: matchersMax,
    description: `What is compared: at least one field. The active rules of a record type have at most ${fuzzyMatchersMax} matchers with the method FUZZY.`,
    example: [{ field: 'email', method: 'EMAIL', threshold: null }],
  })
  matchers!: DuplicateMatcher[]

  @Column(() => DuplicateLogic, { default: 'ALL', description: 'How the matchers are combined.', example: 'ALL' })
  logic!: DuplicateLogic

  @Column(() => DuplicateAction, { default: 'REPORT', description: 'What follows from a duplicate.', example: 'BLOCK' })
  action!: DuplicateAction

  @Column(() => Boolean, {
    default: true,
    description: 'Whether the rule holds. A change of it applies to every write that commits afterwards.',
    example: true,
  })
  isActive!: boolean

  @Column(() => DuplicateRuleState, {
    default: 'BUILDING',
    writable: 'NEVER',
    description: 'Whether all records are compared. Older ones follow in the background.',
    example: 'READY',
  })
  state!: DuplicateRuleState
}
