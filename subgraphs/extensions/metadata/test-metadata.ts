import { depthStartedBy, requireDepth } from '../../kernel/automation/depth.ts'
import { invalid } from '../../kernel/errors.ts'
import { externalCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
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
  const files = source && (await filesOfSource(ctx, source))
  const project = files && (await readPackage(files, ctx.caller.organizationId))
  if (project && project.problems.length > 0) return reportOf([], project.problems)
  return transactionWithExternalCalls(ctx, (inner) =>
    externalCall(inner, inner.externalCalls!.numbered('tests'), () => preparedRun(inner, project, names)),
  )
}

/** Reads what the tests need. What it returns runs them, while no transaction is open. */
async function preparedRun(
  ctx: TestContext,
  project: Package | null,
  names: readonly string[] | null,
): Promise<() => Promise<MetadataTestReport>> {
  const { caller, sandbox, graph, rest, counters, clock } = ctx
  const { organizationId, userId } = caller
  const depth = depthStartedBy(caller)
  const stored = await functionComponent.list(ctx, { hasTexts: false })
  const given = project
    ? functionsOfProject(project.components, stored, userId)
    : functionsOfOrganization(stored, userId)
  const uncompiled: Partial<MetadataProblem>[] = []
  const compile = compileNoting(({ text, language }) => sandbox.compile(organizationId, text, language), uncompiled)
  const { functions, problems, known } = await testsToRun(ctx, given, { names, path: 'functions', depth, compile })
  requireKnown(names ?? [], known)
  if (problems.length > 0) return () => Promise.resolve(reportOf([], problems))
  return async () => {
    const tests = await runTests({ sandbox, graph, rest, counters, clock }, { organizationId, depth, functions })
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
