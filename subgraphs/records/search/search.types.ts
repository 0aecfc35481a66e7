import { Float, ID, Int, ObjectType } from 'type-graphql'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { memberScope } from '../../kernel/scopes.ts'

@ObjectType({ description: 'A part of a text that has a word of a search.' })
@RequiresScopes(memberScope)
export class SearchRange {
  @OutputField(() => Int, {
    description: 'Where it begins, from 0, in UTF-16 code units, as JavaScript, Java and C# count characters.',
    example: 0,
  })
  start!: number

  @OutputField(() => Int, { description: 'The code unit behind its last one.', example: 9 })
  end!: number
}

@ObjectType({ description: 'A field in which words of a search were found.' })
@RequiresScopes(memberScope)
export class SearchHighlight {
  @OutputField(() => String, {
    description: 'Name of the field; `customFields.` and the API name for a custom field.',
    example: 'name',
  })
  field!: string

  @OutputField(() => String, {
    description: 'Its value; of a long one the part with the first word, at most 200 UTF-16 code units.',
    example: 'Halvorsen Marine',
  })
  text!: string

  @OutputField(() => SearchRange, {
    list: true,
    maxItems: 20,
    description: 'The words in `text`, at most 20, in their order, without overlaps.',
  })
  ranges!: readonly SearchRange[]
}

@ObjectType({ description: 'A record that has all words of a search.' })
@RequiresScopes(memberScope)
export class SearchResult {
  @OutputField(() => String, { description: 'Its record type, as in event types.', example: 'account' })
  object!: string

  @OutputField(() => ID, { description: 'Its id.', example: '0190b1a2-0000-7000-8000-000000000001' })
  id!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'What names it; null if that is empty or hidden from the caller.',
    example: 'Halvorsen Marine',
  })
  title!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'A second field that tells it from others; null if that is empty or hidden, or the type has none.',
    example: 'halvorsen-marine.example',
  })
  subtitle!: string | null

  @OutputField(() => Float, {
    description:
      '1: the title begins with the query; 0.75: it has all words; 0.5: it has words that begin with them; 0.25: words are in other fields.',
    example: 1,
  })
  score!: number

  @OutputField(() => SearchHighlight, { list: true, description: 'Where the words were found, the title first.' })
  highlights!: readonly SearchHighlight[]
}

@ObjectType({ description: 'The answer to a search across record types.' })
@RequiresScopes(memberScope)
export class SearchAnswer {
  @OutputField(() => String, { description: 'The query as it was sent.', example: 'halvorsn' })
  query!: string

  @OutputField(() => String, {
    nullable: true,
    description:
      'The query whose results these are, with words of titles that the caller sees, where the one that was sent has none; null otherwise.',
    example: 'halvorsen',
  })
  correctedQuery!: string | null

  @OutputField(() => SearchResult, {
    list: true,
    description: 'The best records first: by score, then those of the caller, then the newest.',
  })
  results!: readonly SearchResult[]

  @OutputField(() => String, {
    list: true,
    description:
      'The record types that were not searched, because the credential lacks their scope. `custom:*` stands for all custom objects where READ_CUSTOM_OBJECTS is lacking.',
    example: [],
  })
  skippedTypes!: readonly string[]

  @OutputField(() => Boolean, { description: 'Whether more records were found than the limit.', example: false })
  hasMore!: boolean
}
