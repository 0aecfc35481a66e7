import type { GraphQLFormattedError, GraphQLSchema } from 'graphql'
import type { OperationContext } from '../../subgraphs/kernel/context.ts'
import type { DryRunReport } from '../../subgraphs/kernel/dry-run.ts'
import type { SubgraphResult } from '../../subgraphs/kernel/subgraph/endpoint.ts'
import { clientError, defect, unavailable, type Path } from './failures.ts'
import { isData, mergeInto, objectsAt, pathsOf } from './merge.ts'
import type { FetchStep, Step } from './plan.ts'
import { applyRewrites } from './rewrites.ts'
import type { Data } from './shape.ts'
import type { Variables } from './variable-values.ts'

/** One execution of a plan: its inputs and its results so far. */
export interface PlanRun {
  readonly schema: GraphQLSchema
  readonly variables: Variables
  readonly context: OperationContext
  readonly onDefect: (thrown: unknown, context: OperationContext) => void
  readonly errors: GraphQLFormattedError[]
  data: Data
  replayed: boolean
  /** Of a dry run: what its mutation would have done. */
  dryRun: DryRunReport | null
}

/** The representations of one entity fetch. Equal representations are requested once. */
interface EntityRequest {
  readonly entities: readonly Data[]
  readonly representations: Data[]
  /** For each representation, the indices of its entities in the order of the path. */
  readonly entitiesOf: number[][]
}

const staticPart = (path: readonly string[]): readonly string[] => {
  const end = path.indexOf('@')
  return end === -1 ? path : path.slice(0, end)
}

function variablesOf(step: FetchStep, variables: Variables): Record<string, unknown> {
  const used: Record<string, unknown> = {}
  for (const name of step.variables) if (Object.hasOwn(variables, name)) used[name] = variables[name]
  return used
}

/** Null if the subgraph did not answer; the run then has the errors, and the rest of the plan continues. */
async function requestSubgraph(run: PlanRun, step: FetchStep, variables: Variables): Promise<SubgraphResult | null> {
  try {
    const result = await step.endpoint.execute({ document: step.document, variables, context: run.context })
    if (result.replayed) run.replayed = true
    if (result.dryRun) run.dryRun = result.dryRun
    return result
  } catch (thrown) {
    if (!run.context.cancellation?.isCancelled) run.onDefect(thrown, run.context)
    run.errors.push(...unavailable(thrown, staticPart(step.path), step.rootKeys))
    return null
  }
}

function clientPath(step: FetchStep, prefix: Path, path: Path): Path {
  const named = path.map((part) => (typeof part === 'string' ? (step.renamedKeys.get(part) ?? part) : part))
  return [...prefix, ...named]
}

async function runRootFetch(run: PlanRun, step: FetchStep): Promise<void> {
  const targets = step.path.length > 0 ? objectsAt(run.data, step.path) : null
  if (targets?.length === 0) return
  const result = await requestSubgraph(run, step, variablesOf(step, run.variables))
  if (!result) return
  for (const error of result.errors ?? []) {
    run.errors.push(clientError(error, error.path && clientPath(step, staticPart(step.path), error.path)))
  }
  if (!result.data) return
  applyRewrites(run.schema, step.outputRewrites, result.data)
  for (const target of targets ?? [run.data]) mergeInto(target, result.data)
}

/** Equal for equal representations. Most have a few texts only, which need no JSON. */
function identityOf(representation: Data): string {
  let identity = ''
  for (const key in representation) {
    const value = representation[key]
    if (typeof value !== 'string') return JSON.stringify(representation)
    identity += `${key}:${value.length}:${value}`
  }
  return identity
}

function entityRequestOf(run: PlanRun, step: FetchStep, entities: readonly Data[]): EntityRequest {
  const request: EntityRequest = { entities, representations: [], entitiesOf: [] }
  const known = new Map<string, number[]>()
  entities.forEach((entity, index) => {
    const representation = step.required?.of(entity)
    if (!representation?.['__typename']) return
    applyRewrites(run.schema, step.inputRewrites, representation)
    const identity = identityOf(representation)
    const same = known.get(identity)
    if (same) {
      same.push(index)
      return
    }
    const first = [index]
    known.set(identity, first)
    request.representations.push(representation)
    request.entitiesOf.push(first)
  })
  return request
}

function noteEntityErrors(
  run: PlanRun,
  step: FetchStep,
  request: EntityRequest,
  errors: readonly GraphQLFormattedError[],
): void {
  const paths = pathsOf(request.entities, run.data, step.path)
  for (const error of errors) {
    const [, number, ...rest] = error.path ?? []
    const entities = typeof number === 'number' ? request.entitiesOf[number] : undefined
    if (!entities) run.errors.push(clientError(error, staticPart(step.path)))
    else for (const entity of entities) run.errors.push(clientError(error, clientPath(step, paths[entity] ?? [], rest)))
  }
}

async function runEntityFetch(run: PlanRun, step: FetchStep): Promise<void> {
  const entities = objectsAt(run.data, step.path)
  if (entities.length === 0) return
  const request = entityRequestOf(run, step, entities)
  const { representations, entitiesOf } = request
  if (representations.length === 0) return

  const result = await requestSubgraph(run, step, { ...variablesOf(step, run.variables), representations })
  if (!result) return
  if (result.errors?.length) noteEntityErrors(run, step, request, result.errors)
  if (!result.data) return

  const received = result.data['_entities']
  if (!Array.isArray(received) || received.length !== representations.length) {
    throw new Error(`"${step.endpoint.name}" did not answer ${representations.length} entities.`)
  }
  received.forEach((entity: unknown, number) => {
    if (!isData(entity)) return
    applyRewrites(run.schema, step.outputRewrites, entity)
    for (const index of entitiesOf[number] ?? []) mergeInto(entities[index]!, entity)
  })
}

async function runFetch(run: PlanRun, step: FetchStep): Promise<void> {
  try {
    await (step.required ? runEntityFetch(run, step) : runRootFetch(run, step))
  } catch (thrown) {
    run.onDefect(thrown, run.context)
    run.errors.push(defect(staticPart(step.path)))
  }
}

/** Runs a plan to its end. Failures become errors of the run; the promise is never rejected. */
export async function runPlan(run: PlanRun, step: Step): Promise<void> {
  switch (step.kind) {
    case 'fetch':
      return runFetch(run, step)
    case 'sequence':
      for (const child of step.steps) await runPlan(run, child)
      return
    case 'parallel':
      await Promise.all(step.steps.map((child) => runPlan(run, child)))
      return
  }
}
