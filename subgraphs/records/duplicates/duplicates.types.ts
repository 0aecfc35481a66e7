import { Float, ID, ObjectType } from 'type-graphql'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { DuplicateMethod } from '../../kernel/record/duplicates/duplicate-method.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { memberScope } from '../../kernel/scopes.ts'

@ObjectType({ description: 'A comparison that found two records equal.' })
@RequiresScopes(memberScope)
export class DuplicateMatch {
  @OutputField(() => String, { description: 'Name of the rule.', example: 'Same mailbox' })
  rule!: string

  @OutputField(() => String, {
    description: 'Name of the compared field; `customFields.` and the API name for a custom field.',
    example: 'email',
  })
  field!: string

  @OutputField(() => DuplicateMethod, { description: 'How it was compared.', example: 'EMAIL' })
  method!: DuplicateMethod
}

@ObjectType({ description: 'A record that is a duplicate by a rule.' })
@RequiresScopes(memberScope)
export class DuplicateCandidate {
  @OutputField(() => String, { description: 'Its record type, as in event types.', example: 'contact' })
  object!: string

  @OutputField(() => ID, { description: 'Its id.', example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41' })
  id!: string

  @OutputField(() => DuplicateMatch, { list: true, maxItems: 50, description: 'By what it is a duplicate.' })
  matchedBy!: readonly DuplicateMatch[]

  @OutputField(() => Float, { description: 'How similar it is, from 0 to 1; 1: equal by a method.', example: 1 })
  score!: number
}

@ObjectType({ description: 'The duplicates of a record.' })
@RequiresScopes(memberScope)
export class DuplicateList {
  @OutputField(() => DuplicateCandidate, {
    list: true,
    maxItems: 50,
    description: 'The most similar first, then those with the most matches, then the oldest.',
  })
  candidates!: readonly DuplicateCandidate[]

  @OutputField(() => Boolean, { description: 'Whether more were found than the limit.', example: false })
  hasMore!: boolean
}
