import {
  Arg,
  Args,
  ArgsType,
  Field,
  Float,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql'
import { enumeration } from '../../../subgraphs/kernel/record/column.ts'
import { InputField, OutputField, ValueArg } from '../../../subgraphs/kernel/record/declared-value.ts'
import { operation } from '../../../subgraphs/kernel/record/operation.ts'
import { RequiresScopes } from '../../../subgraphs/kernel/record/requires-scope.ts'
import { DateTime } from '../../../subgraphs/kernel/record/scalars.ts'

// Operations of every kind: a computed read with a deep input, one of a record, a page, a public one and a change.

const Trend = enumeration('FixtureTrend', 'How something develops.', { UP: 'It grows.', DOWN: 'It shrinks.' })
type Trend = keyof typeof Trend

@InputType({ description: 'What has a kind.' })
class FixtureKindInput {
  @InputField(() => String, { max: 20, filled: true, description: 'Its kind.', example: 'CALL' })
  kind!: string
}

@InputType({ description: 'One contact with an entity.' })
class FixtureTouchInput extends FixtureKindInput {
  @InputField(() => DateTime, { description: 'When it was.', example: '2026-11-02T08:15:00.000Z' })
  at!: string

  @InputField(() => Float, {
    nullable: true,
    minimum: 0,
    maximum: 1,
    description: 'Its weight; null for 1.',
    example: 0.5,
  })
  weight?: number | null
}

@InputType({ description: 'An entity to score.' })
class FixtureEntityInput {
  @InputField(() => String, { max: 100, filled: true, description: 'Id of the caller for it.', example: 'a' })
  id!: string

  @InputField(() => FixtureTouchInput, { list: true, maxItems: 3, description: 'Its contacts.' })
  touches!: FixtureTouchInput[]
}

@InputType({ description: 'What is scored.' })
class FixtureScoreInput {
  @InputField(() => FixtureEntityInput, { list: true, minItems: 1, maxItems: 2, description: 'The entities.' })
  entities!: FixtureEntityInput[]

  @InputField(() => Trend, { nullable: true, description: 'Only this trend; null for all.', example: 'UP' })
  trend?: Trend | null

  @InputField(() => Boolean, { default: false, description: 'Whether reasons are returned.' })
  withReasons!: boolean
}

@ObjectType({ description: 'A score.' })
class FixtureScore {
  @OutputField(() => ID, { description: 'Id of the entity.', example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41' })
  id!: string

  @OutputField(() => Int, { description: 'The score, 0 to 100.', example: 71 })
  score!: number

  @OutputField(() => Trend, { nullable: true, description: 'The trend; null if it is not known.', example: 'UP' })
  trend!: Trend | null

  @OutputField(() => String, { list: true, description: 'Why.', example: ['Three calls.'] })
  reasons!: string[]
}

@ObjectType({ description: 'A page of scores.' })
class FixtureScorePage {
  @Field(() => [FixtureScore], { description: 'The scores.' })
  data!: FixtureScore[]

  @Field(() => Int, { description: 'Number of the page.' })
  page!: number

  @Field(() => Int, { description: 'Scores on a page.' })
  limit!: number

  @Field(() => Int, { nullable: true, description: 'Number of all scores.' })
  total!: number | null

  @Field(() => Int, { nullable: true, description: 'Number of pages.' })
  totalPages!: number | null

  @Field(() => Boolean, { description: 'Whether more follow.' })
  hasMore!: boolean

  @Field(() => String, { nullable: true, description: 'The next cursor.' })
  nextCursor!: string | null
}

@ArgsType()
class FixtureListArgs {
  @InputField(() => Trend, { list: true, nullable: true, maxItems: 2, description: 'Only these trends; null for all.' })
  trends?: Trend[] | null

  @Field(() => Int, { defaultValue: 1, description: 'Number of the page, from 1.' })
  page!: number

  @InputField(() => Int, { default: 50, minimum: 1, maximum: 500, description: 'Scores on a page.' })
  limit!: number
}

export const one = { id: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41', score: 71, trend: null, reasons: [] }

/** The scores of the changes that were made. */
export const kept: number[] = []

@Resolver()
export class FixtureResolver {
  @Query(() => [FixtureScore], { description: 'Scores the entities.' })
  @RequiresScopes('SESSION')
  fixtureCompute(@Arg('input', () => FixtureScoreInput, { description: 'The entities.' }) input: FixtureScoreInput) {
    return input.entities.map(() => one)
  }

  @Query(() => FixtureScore, { description: 'The score of a deal.' })
  @RequiresScopes('*')
  fixtureScore(@ValueArg('dealId', () => ID, { description: 'Id of the deal.' }) dealId: string) {
    return { ...one, id: dealId }
  }

  @Query(() => FixtureScorePage, { description: 'The scores.' })
  @RequiresScopes('READ_LEADS')
  fixtureScoreList(@Args(() => FixtureListArgs) { page, limit }: FixtureListArgs) {
    return { data: [one], page, limit, total: 1, totalPages: 1, hasMore: false, nextCursor: null }
  }

  @Query(() => Boolean, { description: 'Whether it works.' })
  @RequiresScopes('PUBLIC')
  fixtureHealth() {
    return true
  }

  @Mutation(() => FixtureScore, { description: 'Keeps a score.' })
  @RequiresScopes('*')
  fixtureKeep(
    @ValueArg('score', () => Int, { minimum: 0, maximum: 100, description: 'The score.', example: 5 }) score: number,
    @ValueArg('note', () => String, { nullable: true, max: 10, description: 'Why; null if for no reason.' })
    note: string | null,
  ) {
    kept.push(score)
    return { ...one, score, reasons: note ? [note] : [] }
  }
}

export const operations = [
  operation('POST /v1/fixture/compute', 'fixtureCompute', { summary: 'Score', answers: 'The scores, best first.' }),
  operation('GET /v1/fixture/{dealId}/score', 'fixtureScore', { summary: 'Read a score' }),
  operation('GET /v1/fixture', 'fixtureScoreList', { summary: 'List scores' }),
  operation('GET /v1/fixture/health', 'fixtureHealth', { summary: 'Check' }),
  operation('POST /v1/fixture', 'fixtureKeep', { summary: 'Keep', status: 201, hasLocation: true, roles: ['OWNER'] }),
]
