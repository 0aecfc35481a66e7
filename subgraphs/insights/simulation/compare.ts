import type { RequestContext } from '../../kernel/request.ts'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { checkValues } from '../../kernel/record/check-values.ts'
import { columnOf } from '../../kernel/record/definition.ts'
import { storedStructure } from '../../kernel/record/structure.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { adjustmentOf } from './adjustment.ts'
import { requestDraws } from './bounds.ts'
import type { ComparedScenarioInput, ScenarioCompareInput } from './compare.types.ts'
import { horizonDays, type HorizonDays } from './horizon.ts'
import { opportunityShape } from './model/open-deals.ts'
import { takeSnapshot } from './model/snapshot.ts'
import { differenceOf, resultOf } from './present.ts'
import type { SimulationResult } from './result.types.ts'
import { runSimulations, watchOf } from './run-simulation.ts'
import { formProblems, referenceProblems, requireReadable } from './scenario.rules.ts'
import { scenario } from './scenario.record.ts'
import type { ScenarioAdjustment, ScenarioFilters } from './scenario.structures.ts'
import { iterationsDefault, seedDefault, type Scenario } from './scenario.ts'
import { daysOf, settingsOf } from './simulate-scenario.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'

export interface BaselineArguments {
  readonly period?: string | null
  readonly horizonStart?: string | null
  readonly horizonEnd?: string | null
  readonly iterations: number
  readonly seed: number
  readonly target?: ExactNumber | null
}

/** The expectation as it is, over all open deals that the caller sees. */
export async function baselineOf(ctx: RequestContext<'work'>, args: BaselineArguments): Promise<SimulationResult> {
  const { iterations, seed, target = null } = args
  const snapshot = await takeSnapshot(ctx, null, await horizonDays(ctx, args))
  requestDraws(snapshot.deals.length, iterations, 1)
  const wanted = { settings: settingsOf({ iterations, seed, target }), adjustments: [], withMedians: true }
  const [computed] = await runSimulations(ctx, snapshot, [wanted], watchOf(ctx))
  return resultOf(snapshot, computed!, null)
}

interface Compared {
  readonly scenarioId: string | null
  readonly name: string
  readonly adjustments: readonly ScenarioAdjustment[]
}

/** What the compared scenarios have in common: that of the first one, or of the request. */
interface Common extends Pick<Scenario, 'filters' | 'seed' | 'iterations' | 'target'> {
  readonly days: HorizonDays
}

interface Comparable {
  readonly common: Common
  readonly compared: readonly Compared[]
}

async function comparedOf(ctx: RequestContext, input: ScenarioCompareInput): Promise<Comparable> {
  const { scenarioIds, scenarios } = input
  if ((scenarioIds ? 1 : 0) + (scenarios ? 1 : 0) !== 1)
    throw invalid({ path: 'scenarioIds', code: 'REQUIRED', message: 'Give either scenarioIds or scenarios.' })
  if (scenarios) return inline(ctx, input, scenarios)
  for (const [name, value] of Object.entries(input))
    if (name !== 'scenarioIds' && value != null)
      throw invalid({
        path: name,
        code: 'NOT_ALLOWED',
        message: `${name} must not be given together with scenarioIds.`,
      })
  const found = await storedScenarios(ctx, scenarioIds!)
  const [first] = found as [Scenario]
  return {
    common: { ...first, days: await daysOf(ctx, first) },
    compared: found.map(({ id, name, adjustments }) => ({ scenarioId: id, name, adjustments })),
  }
}

async function storedScenarios(ctx: RequestContext, given: readonly string[]): Promise<Scenario[]> {
  const ids = given.map((id) => id.toLowerCase())
  const visible = await visibleIds(ctx, scenario, ids)
  refuseProblems(
    ids.flatMap((id, index) => {
      if (visible.has(id)) return []
      const path = `scenarioIds.${index}`
      const message = `${path} must be the id of an existing scenario that you can see.`
      return [{ path, code: 'UNKNOWN_REFERENCE', message }]
    }),
  )
  const found: Scenario[] = []
  for (const id of ids) found.push(await recordsOf(scenario).require(ctx, id))
  return found
}

/** The problems of values against the bounds of the columns of a scenario. */
const boundProblems = (values: object, prefix = ''): FieldProblem[] =>
  checkValues(scenario, values as Readonly<Record<string, unknown>>).map((problem) => ({
    ...problem,
    path: prefix + problem.path,
    message: problem.message.replace(problem.path, prefix + problem.path),
  }))

function refuseProblems(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid(...problems)
}

const complete = (name: 'filters' | 'adjustments', value: unknown): unknown =>
  storedStructure(columnOf(scenario, name), value)

async function inline(
  ctx: RequestContext,
  { filters, iterations, seed, target, ...horizon }: ScenarioCompareInput,
  scenarios: readonly ComparedScenarioInput[],
): Promise<Comparable> {
  const settings = { iterations: iterations ?? iterationsDefault, seed: seed ?? seedDefault, target: target ?? null }
  const own = complete('filters', filters ?? null) as ScenarioFilters | null
  refuseProblems(boundProblems({ filters: own }))
  const compared = scenarios.map(({ name, adjustments }, index) => ({
    scenarioId: null,
    name: name ?? `Scenario ${index + 1}`,
    adjustments: complete('adjustments', adjustments) as ScenarioAdjustment[],
  }))
  for (const [index, { adjustments }] of compared.entries()) {
    const prefix = `scenarios.${index}.`
    const path = `${prefix}adjustments`
    refuseProblems(boundProblems({ adjustments }, prefix))
    refuseProblems(formProblems({ adjustments }, path))
    refuseProblems(await referenceProblems(ctx, { filters: index === 0 ? own : null, adjustments }, path))
  }
  return { common: { ...settings, filters: own, days: await horizonDays(ctx, horizon) }, compared }
}

/** Runs scenarios on one snapshot of the deals with the same random numbers, so that their differences are no noise. */
export async function compareScenarios(ctx: RequestContext<'work'>, input: ScenarioCompareInput) {
  const { common, compared } = await comparedOf(ctx, input)
  for (const { adjustments } of compared) requireReadable(ctx, { filters: common.filters, adjustments })
  const snapshot = await takeSnapshot(ctx, common.filters, common.days)
  requestDraws(snapshot.deals.length, common.iterations, compared.length)
  const settings = settingsOf(common)
  const wanted = compared.map(({ adjustments }) => ({
    settings,
    adjustments: adjustments.map(adjustmentOf),
    withMedians: false,
  }))
  const computed = await runSimulations(ctx, snapshot, wanted, watchOf(ctx))
  ctx.answered?.aggregate(opportunityShape())
  const results = computed.map((one) => resultOf(snapshot, one, null))
  return {
    scenarios: compared.map(({ scenarioId, name }, index) => ({ scenarioId, name, result: results[index]! })),
    differences: results.slice(1).map((result, index) => ({
      fromIndex: 0,
      toIndex: index + 1,
      fromScenarioId: compared[0]!.scenarioId,
      toScenarioId: compared[index + 1]!.scenarioId,
      ...differenceOf(result, results[0]!),
    })),
  }
}
