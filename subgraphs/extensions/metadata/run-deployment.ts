import { Refusal } from '../../kernel/errors.ts'
import { lockDefinitions } from '../../kernel/extension/definition-lock.ts'
import { withLatestExtensions } from '../../kernel/extension/current-extensions.ts'
import { newId } from '../../kernel/ids.ts'
import type { MetadataContext, PreparedCall } from '../../kernel/metadata/component.ts'
import { ExternalCalls } from '../../kernel/outbound/external-calls.ts'
import type { Caller } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { portNames, portsOf, requestContext, type Services } from '../../kernel/request.ts'
import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'
import { restoreComponents } from '../app/restore-components.ts'
import { problemsMax } from './bounds.ts'
import { areTested, PassedTests, testsOfDeployment, type TestingOptions } from './deployment-tests.ts'
import type { MetadataTestOutcome } from '../function-test/function-test.types.ts'
import type { MetadataProblem } from './deployment.types.ts'
import { deletionFile } from './project-file.ts'
import { componentsIn, readPackage, type FileProblem, type Package } from './package.ts'
import { problemsAt } from './problems.ts'
import { planOf, type DeploymentPlan, type PlannedComponent, type PlannedStep } from './plan.ts'
import type { SourceFiles } from './source-files.ts'
import { readState, versionConflictText, versionOf } from './state.ts'

/** What the deployment would do, or does, and why not. */
export interface Result {
  readonly problems: readonly Partial<MetadataProblem>[]
  readonly components: readonly PlannedComponent[]
  readonly tests: readonly MetadataTestOutcome[]
  /** The version after it; null with problems, and when changes were only checked. */
  readonly version: string | null
}

export interface DeploymentWork extends TestingOptions {
  readonly files: SourceFiles
  readonly checkOnly: boolean
  readonly allowDestructive: boolean
  readonly expectedVersion: string | null
  /** The slug of the app whose package it is; null for a project of the organization. */
  readonly app: string | null
  /** When it aborts, the deployment ends without an effect. */
  readonly signal: AbortSignal
  /** Throws if the deployment is to end without an effect. */
  readonly requireWanted: (sql?: Sql) => Promise<void>
  /** What is written with the changes, in their transaction. */
  readonly finish: (ctx: MetadataContext, result: Result) => Promise<void>
  readonly beginTests: () => Promise<void>
  readonly begin: () => Promise<void>
}

/** The organization was changed while the deployment was being decided. */
class ChangedMeanwhile extends Error {}

/** The changes are taken back: the deployment only checks, or has problems. */
class TakenBack extends Error {
  constructor(readonly result: Result) {
    super('The deployment has no effect.')
  }
}

const attemptsMax = 5

/** Carries out a deployment: all of it, or nothing. */
export async function runDeployment(services: Services, caller: Caller, work: DeploymentWork): Promise<Result> {
  const { organizationId } = caller
  const wanted = await readPackage(work.files, organizationId)
  const problems = [...wanted.problems, ...destructionProblems(wanted, work)]
  if (problems.length > 0) return { problems: problems.slice(0, problemsMax), components: [], tests: [], version: null }
  const passed = new PassedTests()
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptDeployment(services, caller, wanted, { ...work, passed })
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile) || attempt === attemptsMax) throw error
    }
  }
}

function destructionProblems({ deletions }: Package, { allowDestructive }: DeploymentWork): FileProblem[] {
  if (deletions.length === 0 || allowDestructive) return []
  const message = `The project deletes components; deploy it with allowDestructive, or without ${deletionFile}.`
  return [{ file: deletionFile, path: 'delete', code: 'NOT_ALLOWED', message }]
}

interface DeployedBy {
  readonly caller: Caller
  readonly app: string | null
}

interface Contexts {
  /** A context of its own for each part, so that what it reads is limited by itself. */
  next(): MetadataContext
}

function contexts(
  services: Services,
  { caller, app }: DeployedBy,
  db: Sql | null,
  externalCalls: ExternalCalls | null,
): Contexts {
  const operation = { caller, requestId: newId(), idempotency: null, operationId: services.operationId }
  const ports = portsOf(services, portNames)
  const managed = app === null ? {} : { managedBy: app }
  return {
    next: () => ({ ...requestContext(operation, services, { ports, externalCalls, ...(db && { db }) }), ...managed }),
  }
}

async function attemptDeployment(
  services: Services,
  caller: Caller,
  wanted: Package,
  work: DeploymentWork & { readonly passed: PassedTests },
): Promise<Result> {
  const { signal, app } = work
  const by = { caller, app }
  signal.throwIfAborted()
  await services.extensions.load(caller.organizationId)
  const outside = contexts(services, by, null, null)
  const first = await decided(outside, wanted, work, caller.organizationId)
  if ('problems' in first || (!first.hasEffect && work.testLevel === 'NONE' && app === null)) return resultOf(first)
  const externalCalls = await callsMade(outside.next(), first.plan.calls, signal)
  const { tests, problems } = await testsOfDeployment(outside, wanted, externalCalls, {
    ...work,
    begin: work.beginTests,
  })
  if (problems.length > 0)
    return { problems: problems.slice(0, problemsMax), components: first.plan.components, tests, version: null }
  if (!first.hasEffect && app === null) return { ...resultOf(first), tests }
  await services.vault.load(caller.organizationId)
  await work.begin()
  try {
    return await services.tenants.of(caller.organizationId, { caller }).transaction(async (sql) => {
      const inside = contexts(services, by, sql, externalCalls)
      await lockDefinitions(inside.next())
      if (app !== null) await reinstated(inside, app, wanted)
      const again = await decided(inside, wanted, work, caller.organizationId)
      if ('problems' in again) throw new TakenBack({ ...resultOf(again), tests })
      if (!(await isPrepared(inside, wanted, again, externalCalls, work))) throw new ChangedMeanwhile()
      const failed = await carriedOut(inside, again.plan, work, sql)
      if (failed.length > 0 || work.checkOnly)
        throw new TakenBack({ problems: failed, components: again.plan.components, tests, version: null })
      signal.throwIfAborted()
      const version = await versionIn(inside, caller.organizationId)
      const result = { problems: [], components: again.plan.components, tests, version }
      await work.finish(inside.next(), result)
      return result
    })
  } catch (error) {
    if (error instanceof TakenBack) return error.result
    throw error
  }
}

/** Restores what the app brought before; the deployment has no effect if that is refused. */
async function reinstated(inside: Contexts, app: string, wanted: Package): Promise<void> {
  try {
    await restoreComponents(inside.next(), app, componentsIn(wanted))
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'UNAVAILABLE') throw error
    const problems = problemsAt({ file: '', folder: '' }, error).map((one) => ({ ...one, file: null }))
    throw new TakenBack({ problems, components: [], tests: [], version: null })
  }
}

interface Decision {
  readonly plan: DeploymentPlan
  readonly hasEffect: boolean
  readonly version: string
}

type Decided = Decision | { readonly problems: Result['problems']; readonly plan: DeploymentPlan | null }

const resultOf = (one: Decided): Result => ({
  problems: 'problems' in one ? one.problems : [],
  components: one.plan?.components ?? [],
  tests: [],
  version: 'problems' in one ? null : one.version,
})

/** Compares the package with what the organization has at this moment. */
async function decided(
  contextsOf: Contexts,
  wanted: Package,
  { expectedVersion, app }: DeploymentWork,
  organizationId: string,
): Promise<Decided> {
  const ctx = contextsOf.next()
  const state = await readState(ctx, { hasTexts: false, contextFor: () => contextsOf.next() })
  const version = await versionOf(state, organizationId)
  if (expectedVersion !== null && expectedVersion !== version) {
    const message = versionConflictText(version)
    return { problems: [{ file: null, path: 'expectedVersion', code: 'VERSION_CONFLICT', message }], plan: null }
  }
  const plan = planOf(ctx, wanted, state, app)
  if (plan.problems.length > 0) return { problems: plan.problems.slice(0, problemsMax), plan }
  return { plan, hasEffect: plan.steps.length > 0, version }
}

const versionIn = async (contextsOf: Contexts, organizationId: string): Promise<string> => {
  const state = await readState(contextsOf.next(), { hasTexts: false, contextFor: () => contextsOf.next() })
  return versionOf(state, organizationId)
}

/** Makes the calls that the steps need, while no transaction is open. */
async function callsMade(
  ctx: MetadataContext,
  calls: readonly PreparedCall[],
  signal: AbortSignal,
): Promise<ExternalCalls> {
  const externalCalls = new ExternalCalls()
  for (const { key, call } of calls) externalCalls.add(key, async () => (signal.aborted ? null : call(ctx)))
  await externalCalls.callRegistered()
  signal.throwIfAborted()
  return externalCalls
}

/** Whether the sources are compiled and the functions tested as they are stored, which may have changed before the definitions were locked. */
const isPrepared = async (
  inside: Contexts,
  wanted: Package,
  { plan }: Decision,
  externalCalls: ExternalCalls,
  work: TestingOptions & { readonly passed: PassedTests },
): Promise<boolean> =>
  plan.calls.every(({ key }) => externalCalls.outcomeOf(key)) && (await areTested(inside.next(), wanted, work))

/** Runs the steps. After one that is refused the others still run, so that all problems are found; those that need it do not. */
async function carriedOut(
  inside: Contexts,
  { steps }: DeploymentPlan,
  { requireWanted, signal }: DeploymentWork,
  sql: Sql,
): Promise<Partial<MetadataProblem>[]> {
  const problems: Partial<MetadataProblem>[] = []
  const failed = new Set<string>()
  let phase: number | null = null
  let latest = inside.next()
  for (const step of steps) {
    signal.throwIfAborted()
    if (step.phase !== phase) {
      phase = step.phase
      await requireWanted(sql)
      latest = await withLatestExtensions(inside.next())
    }
    if (step.needs.some((word) => failed.has(word))) for (const word of step.provides) failed.add(word)
    else {
      const { extensions, shapes } = latest
      const found = await problemsOf(step, { ...inside.next(), extensions, shapes })
      if (found.length > 0) for (const word of step.provides) failed.add(word)
      problems.push(...found)
      if (problems.length >= problemsMax) break
    }
    if (isTurnOver()) await nextTurn(latest.caller.organizationId)
  }
  return problems.slice(0, problemsMax)
}

async function problemsOf(step: PlannedStep, ctx: MetadataContext): Promise<Partial<MetadataProblem>[]> {
  try {
    await step.run(ctx)
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'VERSION_CONFLICT') throw new ChangedMeanwhile()
    if (error.code === 'UNAVAILABLE') throw error
    return problemsOfRefusal(step, error)
  }
}

const problemsOfRefusal = ({ of, placeOf }: PlannedStep, error: Refusal): Partial<MetadataProblem>[] =>
  problemsAt({ file: of.file, folder: of.packaged?.folder ?? '', placeOf }, error)
