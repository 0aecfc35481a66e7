import { Directive, Field, ID, ObjectType } from 'type-graphql'
import { OutputField } from '../declared-value.ts'
import { RequiresScopes } from '../requires-scope.ts'
import { Json } from '../scalars.ts'
import { memberScope } from '../../scopes.ts'

@ObjectType({ description: 'The record that a LOOKUP or MASTER_DETAIL of another record names.' })
@Directive('@shareable')
@RequiresScopes(memberScope)
export class RelatedRecord {
  @OutputField(() => String, {
    description: 'Its record type: `account`, or `custom:` and the name of a custom object.',
    example: 'account',
  })
  object!: string

  @OutputField(() => ID, { description: 'Its id.', example: '0190b1a2-0000-7000-8000-000000000001' })
  id!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'What names it for people; null if that is empty or hidden from the caller.',
    example: 'Halvorsen Marine',
  })
  name!: string | null

  @OutputField(() => Json, {
    description:
      'Its properties with the names that they have in the graph and in REST, custom fields included. What is hidden from the caller is absent.',
    example: { id: '0190b1a2-0000-7000-8000-000000000001', name: 'Halvorsen Marine' },
  })
  record!: Readonly<Record<string, unknown>>
}

@ObjectType({ description: 'A page of the records whose LOOKUP or MASTER_DETAIL names a record.' })
@Directive('@shareable')
@RequiresScopes(memberScope)
export class ReferencingRecordPage {
  @Field(() => [RelatedRecord], { description: 'The records, newest first: at most 100.' })
  nodes!: RelatedRecord[]

  @OutputField(() => Boolean, { description: 'Whether there are more.', example: false })
  hasNextPage!: boolean

  @OutputField(() => String, {
    nullable: true,
    description: 'Cursor of the last record, for `after`; null without records.',
    example: null,
  })
  endCursor!: string | null
}
