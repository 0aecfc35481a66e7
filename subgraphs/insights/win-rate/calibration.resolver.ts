import { Ctx, Query, Resolver } from 'type-graphql'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { backTest } from './back-test.ts'
import { storedTests, winCalibration, type StoredTest } from './calibration.ts'
import { winCalibrationTable } from './calibration.migrations.ts'
import { DealCalibration } from './calibration.types.ts'

/** Decimals of scores and shares in answers. */
const places = (value: number): number => Number(value.toFixed(4))
const placesOrNull = (value: number | null): number | null => (value === null ? null : places(value))

const earlier = ({ computedAt, model, testedDeals, models }: StoredTest) => ({
  computedAt,
  model,
  testedDeals,
  brierScore: placesOrNull(models.find((tested) => tested.model === model)?.brierScore ?? null),
})

@Resolver()
class DealCalibrationResolver {
  @Query(() => DealCalibration, {
    description:
      'How well the win probabilities of the organization hold, by a test that is made once a month, and which model is used for that reason.',
  })
  @RequiresScopes('READ_SCORES')
  async dealCalibration(@Ctx() ctx: RequestContext): Promise<DealCalibration> {
    const [latest, ...before] = await storedTests(ctx)
    const test = latest ?? { computedAt: null, ...backTest([], [], new Map()).test }
    return {
      ...test,
      difference: placesOrNull(test.difference),
      standardError: placesOrNull(test.standardError),
      models: test.models.map(({ model, brierScore, bins }) => ({
        model,
        brierScore: places(brierScore),
        bins: bins.map((bin) => ({
          ...bin,
          meanPredicted: placesOrNull(bin.meanPredicted),
          shareWon: placesOrNull(bin.shareWon),
        })),
      })),
      history: before.map(earlier),
    }
  }
}

export const dealCalibrationResource: Resource = {
  resolver: DealCalibrationResolver,
  migrations: [winCalibrationTable],
  jobs: [winCalibration],
  operations: [
    operation('GET /v1/deal-scoring/calibration', 'dealCalibration', {
      summary: 'Get the calibration of win probabilities',
      answers: 'The last monthly test, and earlier ones.',
    }),
  ],
}
