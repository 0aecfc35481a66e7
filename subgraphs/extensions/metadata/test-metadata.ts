import { depthStartedBy, requireDepth } from '../../kernel/automation/depth.ts'
import { invalid } from '../../kernel/errors.ts'
import { externalCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { runMsMax } from '../function-test/bounds.ts'
import { runTests, type testPorts } from '../function-test/run-tests.ts'
import { unknownNames } from '../function-test/tested-functions.ts'
import { functionComponent } from '../function/function.component.ts'
import { problemsMax } from './bounds.ts'
import type { MetadataProblem } from './deployment.types.ts'
import { compileNoting, functionsOfOrganization, functionsOfProject, testsToRun } from './function-tests.ts'
import { readPackage, type Package } from './package.ts'
import { asProblem } from './problems.ts'
import { filesOfSource, type GivenSource } from './source-files.ts'
import type { MetadataTestReport } from './test-report.types.ts'

export type TestContext = RequestContext<'work' | (typeof testPorts)[number]>

export interface TestsGiven {
  readonly source: GivenSource | null
  readonly functions: readonly string[] | null
}

const reportOf = (
  tests: MetadataTestReport['tests'],
  problems: readonly Partial<MetadataProblem>[] = [],
): MetadataTestReport => {
  const passed = tests.filter(({ status }) => status === 'PASSED').length
  const isPassed = passed === tests.length && problems.length === 0
  return {
    status: isPassed ? 'PASSED' : 'FAILED',
    passed,
    failed: tests.length - passed,
    tests,
    problems: problems.slice(0, problemsMax).map(asProblem),
  }
}

/** Runs the tests of functions: of the files that are sent, or else of those that the organization has. Nothing is changed. */
export async function testMetadata(
  ctx: TestContext,
  { source, functions: names }: TestsGiven,
): Promise<MetadataTestReport> {
  requireAdministrator(ctx)
  requireDepth(depthStartedBy(ctx.caller))
  return transactionWithExternalCalls(ctx, async (inner) => {
    // Nothing of it is done twice, however often the transaction begins again.
    const begun = await outsideOf(inner, 'begin', () => beginTests(ctx, source))
    if (begun.project && begun.project.problems.length > 0) return reportOf([], begun.project.problems)
    return externalCall(inner, inner.externalCalls!.numbered('tests'), () => preparedRun(inner, begun, names))
  })
}

/** What is done while no transaction is open. */
const outsideOf = <T>(ctx: RequestContext, name: string, work: () => Promise<T>): Promise<T> =>
  externalCall(ctx, ctx.externalCalls!.numbered(name), () => Promise.resolve(work))

interface Begun {
  /** Null for the functions of the organization. */
  readonly project: Package | null
  /** When the whole run is over, by `performance.now()`. */
  readonly endsAt: number
}

async function beginTests(ctx: TestContext, source: GivenSource | null): Promise<Begun> {
  const endsAt = performance.now() + runMsMax
  const files = source && (await filesOfSource(ctx, source))
  return { project: files && (await readPackage(files, ctx.caller.organizationId)), endsAt }
}

/** Reads what the tests need. What it returns runs them, while no transaction is open. */
async function preparedRun(
  ctx: TestContext,
  { project, endsAt }: Begun,
  names: readonly string[] | null,
): Promise<() => Promise<MetadataTestReport>> {
  const { caller, sandbox, graph, rest, counters, clock } = ctx
  const { organizationId, userId } = caller
  const depth = depthStartedBy(caller)
  const stored = await functionComponent.list(ctx, { hasTexts: false })
  const given = project
    ? functionsOfProject(project.components, stored, userId)
    : functionsOfOrganization(stored, userId)
  requireKnown(names ?? [], given)
  const uncompiled: Partial<MetadataProblem>[] = []
  const compile = compileNoting(
    ({ text, language }, _folder, until) => sandbox.compile(organizationId, text, language, until),
    uncompiled,
  )
  const { functions, problems } = await testsToRun(ctx, given, { names, path: 'functions', depth, compile })
  if (problems.length > 0) return () => Promise.resolve(reportOf([], problems))
  return async () => {
    const tests = await runTests(
      { sandbox, graph, rest, counters, clock },
      { organizationId, depth, functions, endsAt },
    )
    return reportOf(tests, uncompiled)
  }
}

function requireKnown(names: readonly string[], known: Parameters<typeof unknownNames>[1]): void {
  const problems = unknownNames(names, known).map((index) => ({
    path: `functions.${index}`,
    code: 'UNKNOWN_REFERENCE',
    message: `functions.${index} must be the apiName of a function, or that of a function and the name of one of its tests: score_lead/chief.`,
  }))
  if (problems.length > 0) throw invalid(...problems)
}
