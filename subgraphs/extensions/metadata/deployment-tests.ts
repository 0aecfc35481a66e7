import { depthStartedBy } from '../../kernel/automation/depth.ts'
import type { MetadataContext } from '../../kernel/metadata/component.ts'
import type { ExternalCalls } from '../../kernel/outbound/external-calls.ts'
import type { CompiledSource } from '../../kernel/sandbox/sandbox.ts'
import type { MetadataTestOutcome, MetadataTestResult } from '../function-test/function-test.types.ts'
import { runTests } from '../function-test/run-tests.ts'
import { unknownNames } from '../function-test/tested-functions.ts'
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

interface Testing extends TestingOptions {
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
  { testLevel, tests: names, signal, begin, requireWanted }: Testing,
): Promise<Tested> {
  if (testLevel === 'NONE') return { tests: [], problems: [] }
  const ctx = contexts.next()
  const { sandbox, graph, rest, counters, clock, caller } = ctx
  const { organizationId, userId } = caller
  const stored = await functionComponent.list(contexts.next(), { hasTexts: false })
  const uncompiled: Partial<MetadataProblem>[] = []
  const compile = compileNoting(async ({ text, language }) => {
    // What the deployment will write has been compiled already.
    const outcome = externalCalls.outcomeOf(compileCall(text, language).key)
    if (!outcome) return sandbox.compile(organizationId, text, language)
    if ('error' in outcome) throw outcome.error
    return outcome.value as CompiledSource
  }, uncompiled)
  const depth = depthStartedBy(caller)
  const wanted = { names: testLevel === 'ALL' ? null : names, path: 'tests', depth, compile }
  const { functions, problems, known } = await testsToRun(ctx, functionsOfProject(components, stored, userId), wanted)
  const unknown = unknownNames(wanted.names ?? [], known).map((index) => ({
    path: `tests.${index}`,
    code: 'UNKNOWN_REFERENCE',
    message: `tests.${index} must be the apiName of a function of the source, or that of a function and the name of one of its tests: score_lead/chief.`,
  }))
  if (problems.length + unknown.length > 0) return { tests: [], problems: [...unknown, ...problems] }
  await begin()
  const run = { organizationId, depth, functions, signal, requireWanted }
  const results = await runTests({ sandbox, graph, rest, counters, clock }, run)
  return {
    tests: results.map(({ logs: _logs, ...outcome }) => outcome),
    problems: [...uncompiled, ...results.flatMap((result) => problemOf(result, uncompiled))],
  }
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
