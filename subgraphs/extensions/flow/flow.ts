import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { memberScope } from '../../kernel/scopes.ts'
import { descriptionMax, elementsMax, labelMax, variablesMax } from './bounds.ts'
import { FlowElement, FlowVariable } from './flow-parts.ts'
import { FlowStatus, FlowType } from './flow.enumerations.ts'

@ObjectType({
  description:
    'A flow of the organization: screens, decisions, loops and record elements that a user runs as an interview. A change of them makes a new version; interviews keep the version with which they began. For owners and admins; every user may run an active one.',
})
@Directive('@key(fields: "id")')
@RequiresScopes(memberScope)
@Entity({ schema: 'extensions', tableName: 'flow' })
export class Flow extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    writable: 'ON_CREATE',
    max: 48,
    filled: true,
    description:
      'Name by which the flow is run: 2 to 48 lower-case letters, digits and underscores, first a letter. Unique among the flows of the organization; it never changes.',
    example: 'new_account',
  })
  apiName!: string

  @Column(() => String, { max: labelMax, filled: true, description: 'Name for people.', example: 'New account' })
  label!: string

  @Column(() => String, {
    nullable: true,
    max: descriptionMax,
    description: 'What the flow is for; null without a description.',
    example: 'Asks for a company and creates its account.',
  })
  description!: string | null

  @Column(() => FlowType, { default: 'SCREEN', indexed: true, description: 'How it is run.', example: 'SCREEN' })
  type!: FlowType

  @Column(() => FlowStatus, {
    default: 'DRAFT',
    writable: 'NEVER',
    indexed: true,
    description: 'Whether it can be run. The operations activate and deactivate change it.',
    example: 'DRAFT',
  })
  status!: FlowStatus

  @Column(() => Int, {
    writable: 'NEVER',
    default: 1,
    description:
      'Number of the version of its variables and elements, from 1: `flowVersion` of the interviews that begin.',
    example: 1,
  })
  flowVersion!: number

  @StructureColumn(() => FlowVariable, {
    list: true,
    maxItems: variablesMax,
    description: `Its variables, at most ${variablesMax}; empty if none.`,
    example: [
      { name: 'source', dataType: 'TEXT', isInput: true, isOutput: false, isCollection: false, defaultValue: null },
    ],
  })
  variables!: FlowVariable[]

  @Column(() => String, {
    nullable: true,
    max: 48,
    description: 'Name of the element with which it begins; null only before it is activated.',
    example: 'ask',
  })
  startElement!: string | null

  @StructureColumn(() => FlowElement, {
    list: true,
    maxItems: elementsMax,
    description: `Its elements, at most ${elementsMax}. A flow without elements cannot be activated.`,
    example: [
      {
        name: 'ask',
        type: 'SCREEN',
        config: {
          title: 'New account',
          fields: [{ name: 'company', label: 'Company', type: 'TEXT', required: true }],
        },
        connectors: { next: 'create' },
      },
      {
        name: 'create',
        type: 'CREATE_RECORD',
        config: { object: 'ACCOUNT', values: { name: '{{ask.company}}' } },
        connectors: null,
      },
    ],
  })
  elements!: FlowElement[]
}
