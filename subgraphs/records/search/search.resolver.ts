import { Ctx, Int, Query, Resolver } from 'type-graphql'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { memberScope } from '../../kernel/scopes.ts'
import { searchConsumer } from '../../kernel/search/search-consumer.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { searchBuild, searchFrequent, searchWords } from './search.jobs.ts'
import { search } from './search.ts'
import { SearchAnswer } from './search.types.ts'

const limitMax = 50
const limitDefault = 20

@Resolver()
export class SearchResolver {
  @Query(() => SearchAnswer, {
    description: [
      'Finds records of all types that have all words of a query in their searchable fields, the best first.',
      'The last word may be the beginning of one. Case, accents, full and half width make no difference.',
      'Every credential may ask: each record type needs its READ scope. Types without it are skipped, and named in `skippedTypes`; a type in `types` without it is refused.',
    ].join(' '),
  })
  @RequiresScopes(memberScope)
  search(
    @ValueArg('query', () => String, {
      max: 200,
      filled: true,
      description: 'What to look for: one to ten words, an email address or a telephone number.',
      example: 'halvorsen mar',
    })
    query: string,
    @ValueArg('types', () => String, {
      list: true,
      nullable: true,
      minItems: 1,
      maxItems: 50,
      max: 100,
      filled: true,
      description: 'The record types to search, as in event types; null: all that are searched.',
      example: ['account', 'contact'],
    })
    types: string[] | null,
    @ValueArg('limit', () => Int, {
      minimum: 1,
      maximum: limitMax,
      default: limitDefault,
      description: 'Maximum number of results.',
      example: limitDefault,
    })
    limit: number,
    @Ctx() ctx: RequestContext,
  ): Promise<SearchAnswer> {
    return search(ctx, { q: query, types: types ?? null, limit })
  }
}

export const searchResource: Resource = {
  resolver: SearchResolver,
  consumers: [searchConsumer],
  jobs: [searchBuild, searchFrequent, searchWords],
  operations: [
    operation('GET /v1/search', 'search', {
      summary: 'Search all record types',
      answers: 'The records found, the best first.',
      parameters: { q: 'query' },
    }),
  ],
}
