import { ID, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../../kernel/record/column.ts'
import { OutputField } from '../../../kernel/record/declared-value.ts'
import { RequiresScope } from '../../../kernel/record/requires-scope.ts'
import { Account, Contact, Lead } from '../../extended-records.ts'
import { RecordEngagement } from './record-engagement.ts'

export const EngagementObject = enumeration('EngagementObject', 'A type of records whose engagement is kept.', {
  ACCOUNT: 'Accounts.',
  CONTACT: 'Contacts.',
  LEAD: 'Leads.',
})
export type EngagementObject = keyof typeof EngagementObject

export const EngagementOrder = enumeration(
  'EngagementOrder',
  'The order of a list by engagement: by the sum of the points, before one type of activity is limited to 40 % of it, or by their change.',
  {
    HIGHEST: 'The highest engagement first.',
    LOWEST: 'The lowest engagement first.',
    RISING: 'The highest velocity first, as of the last hour.',
    FALLING: 'The lowest velocity first, as of the last hour.',
  },
)
export type EngagementOrder = keyof typeof EngagementOrder

@ObjectType({ description: 'A record with its engagement.' })
@RequiresScope('SCORES')
export class EngagementItem {
  @OutputField(() => ID, { description: 'Id of the record.', example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26' })
  recordId!: string

  @OutputField(() => Account, { nullable: true, description: 'The account; null in lists of others.' })
  account!: object | null

  @OutputField(() => Contact, { nullable: true, description: 'The contact; null in lists of others.' })
  contact!: object | null

  @OutputField(() => Lead, { nullable: true, description: 'The lead; null in lists of others.' })
  lead!: object | null

  @OutputField(() => RecordEngagement, {
    nullable: true,
    description: 'Its engagement; null if it was deleted meanwhile.',
  })
  engagement!: RecordEngagement | null
}

@ObjectType({ description: 'A page of the records with engagement.' })
@RequiresScope('SCORES')
export class EngagementPage {
  @OutputField(() => EngagementItem, { list: true, description: 'The records in the order that was asked for.' })
  data!: readonly object[]

  @OutputField(() => Int, { description: 'Maximum number of records on a page, as requested.', example: 20 })
  limit!: number

  @OutputField(() => Boolean, { description: 'Whether more follow.', example: false })
  hasMore!: boolean

  @OutputField(() => String, {
    nullable: true,
    description: '`cursor` of the next page; null on the last page.',
    example: null,
  })
  nextCursor!: string | null
}
