import { depthStartedBy } from '../../kernel/automation/depth.ts'
import type { MetadataContext } from '../../kernel/metadata/component.ts'
import type { ExternalCalls } from '../../kernel/outbound/external-calls.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { CompiledSource } from '../../kernel/sandbox/sandbox.ts'
import { runMsMax } from '../function-test/bounds.ts'
import type { MetadataTestOutcome, MetadataTestResult } from '../function-test/function-test.types.ts'
import { runTests } from '../function-test/run-tests.ts'
import { selected, unknownNames, type GivenFunction, type TestNames } from '../function-test/tested-functions.ts'
import { functionComponent } from '../function/function.component.ts'
import { compileCall } from '../function/version.actions.ts'
import type { MetadataTestLevel } from './deployment.enumerations.ts'
import type { MetadataProblem } from './deployment.types.ts'
import { compileNoting, functionsOfProject, testsToRun } from './function-tests.ts'
import type { Package } from './package.ts'

/** Which tests decide whether a deployment takes effect. */
export interface TestingOptions {
  readonly testLevel: MetadataTestLevel
  /** Those of the level SPECIFIED. */
  readonly tests: readonly string[] | null
}

export interface Tested {
  readonly tests: readonly MetadataTestOutcome[]
  /** Why the deployment must not take effect. */
  readonly problems: readonly Partial<MetadataProblem>[]
}

/**
 * The tests that have passed in a deployment, which decides again when somebody has changed the organization meanwhile: they run again only if their
 * functions are others now.
 */
export class PassedTests {
  #functions: string | null = null
  #tests: readonly MetadataTestOutcome[] = []

  /** Null unless all of these functions have been tested as they are stored. */
  of(functions: string): readonly MetadataTestOutcome[] | null {
    return functions === this.#functions ? this.#tests : null
  }

  keep(functions: string, tests: readonly MetadataTestOutcome[]): void {
    this.#functions = functions
    this.#tests = tests
  }
}

/** What is stored of the functions whose tests are wanted. What the deployment makes of them is the same in all of its attempts. */
const asStored = (
  given: readonly GivenFunction[],
  names: TestNames,
  stored: Awaited<ReturnType<typeof functionComponent.list>>,
): string =>
  JSON.stringify(
    selected(given, names).map(({ wanted: { next, previous } }) => [
      next.apiName,
      previous?.id,
      previous?.version,
      stored.get(next.apiName)?.sources,
    ]),
  )

interface Testing extends TestingOptions {
  readonly passed: PassedTests
  readonly signal: AbortSignal
  /** Before the first test. */
  readonly begin: () => Promise<void>
  /** Before each test. Throws if the deployment is to end without an effect. */
  readonly requireWanted: () => Promise<void>
}

/** Runs the tests of the functions of a project, as the deployment would make them, before it changes anything. */
export async function testsOfDeployment(
  contexts: { next(): MetadataContext },
  { components }: Package,
  externalCalls: ExternalCalls,
  { testLevel, tests: names, passed, signal, begin, requireWanted }: Testing,
): Promise<Tested> {
  if (testLevel === 'NONE') return { tests: [], problems: [] }
  const ctx = contexts.next()
  const { sandbox, graph, rest, counters, clock, caller } = ctx
  const { organizationId, userId } = caller
  const stored = await functionComponent.list(contexts.next(), { hasTexts: false })
  const uncompiled: Partial<MetadataProblem>[] = []
  const compile = compileNoting(async ({ text, language }, _folder, endsAt) => {
    // What the deployment will write has been compiled already.
    const outcome = externalCalls.outcomeOf(compileCall(text, language).key)
    if (!outcome) return sandbox.compile(organizationId, text, language, endsAt)
    if ('error' in outcome) throw outcome.error
    return outcome.value as CompiledSource
  }, uncompiled)
  const depth = depthStartedBy(caller)
  const wanted = { names: testLevel === 'ALL' ? null : names, path: 'tests', depth, compile }
  const given = functionsOfProject(components, stored, userId)
  const { functions, problems } = await testsToRun(ctx, given, wanted)
  const unknown = unknownNames(wanted.names ?? [], given).map((index) => ({
    path: `tests.${index}`,
    code: 'UNKNOWN_REFERENCE',
    message: `tests.${index} must be the apiName of a function of the source, or that of a function and the name of one of its tests: score_lead/chief.`,
  }))
  if (problems.length + unknown.length > 0) return { tests: [], problems: [...unknown, ...problems] }
  const tested = asStored(given, wanted.names, stored)
  const before = passed.of(tested)
  if (before) return { tests: before, problems: [] }
  await begin()
  const run = { organizationId, depth, functions, endsAt: performance.now() + runMsMax, signal, requireWanted }
  const results = await runTests({ sandbox, graph, rest, counters, clock }, run)
  const tests = results.map(({ logs: _logs, ...outcome }) => outcome)
  const failures = [...uncompiled, ...results.flatMap((result) => problemOf(result, uncompiled))]
  if (failures.length === 0) passed.keep(tested, tests)
  return { tests, problems: failures }
}

/** Whether the functions whose tests are wanted are stored as they were when these passed. */
export async function areTested(
  ctx: RequestContext,
  { components }: Package,
  { testLevel, tests, passed }: TestingOptions & { readonly passed: PassedTests },
): Promise<boolean> {
  if (testLevel === 'NONE') return true
  const stored = await functionComponent.list(ctx, { hasTexts: false })
  const given = functionsOfProject(components, stored, ctx.caller.userId)
  return passed.of(asStored(given, testLevel === 'ALL' ? null : tests, stored)) !== null
}

/** Why a test has not passed. A source that does not compile is one problem, however many tests its function has. */
function problemOf(
  { status, file, path, message, function: apiName, name }: MetadataTestResult,
  uncompiled: readonly Partial<MetadataProblem>[],
): Partial<MetadataProblem>[] {
  const folderOf = (one: string): string => one.slice(0, one.lastIndexOf('/') + 1)
  if (status === 'PASSED' || uncompiled.some((one) => file.startsWith(folderOf(one.file!)))) return []
  const code = status === 'FAILED' ? 'TEST_FAILED' : 'TEST_ERROR'
  return [{ file, path: path ?? '', code, message: `The test ${apiName}/${name} has not passed. ${message}` }]
}
