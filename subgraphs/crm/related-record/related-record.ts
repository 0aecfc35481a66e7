import { ID, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'

const link = (what: string, example: string | null = null) =>
  ({
    indexed: true,
    nullable: true,
    description: `Id of the ${what} that it concerns, for the lists of the ${what}; null if none. Unless given, it follows from the related record.`,
    example,
  }) as const

/** The columns of tasks and activities that say which records they concern. */
@ObjectType()
export abstract class RelatedRecord extends OrgRecord {
  @Column(() => String, {
    decidesEdges: true,
    nullable: true,
    max: 70,
    description:
      'Type of the related record: LEAD, CONTACT, ACCOUNT, OPPORTUNITY, CASE, QUOTE, ORDER, INVOICE or `custom:` and the name of a custom object, such as `custom:site_visit`. A custom object that the organization does not have is refused with UNKNOWN_REFERENCE. Null exactly if `relatedToId` is null.',
    example: 'ACCOUNT',
  })
  relatedToType!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the related record, a live record that the caller sees; null if there is none.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  })
  relatedToId!: string | null

  @Column(() => ID, link('account', '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26'))
  accountId!: string | null

  @Column(() => ID, link('contact'))
  contactId!: string | null

  @Column(() => ID, link('lead'))
  leadId!: string | null

  @Column(() => ID, link('opportunity'))
  opportunityId!: string | null

  @Column(() => ID, link('case'))
  caseId!: string | null
}
