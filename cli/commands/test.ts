import { apiOf, type Context } from '../context.ts'
import { ShownFailure } from '../failure.ts'
import { plainLine, plural } from '../plain.ts'
import { placeOf, positioned, problemLines, type Problem } from '../project/problem.ts'
import { findProject, projectFile, readProject, type Files } from '../project/project.ts'
import type { Screen } from '../screen.ts'

/** A test as the API says how it has ended. */
export interface TestOutcome {
  readonly function: string
  readonly name: string
  readonly file: string
  readonly status: 'PASSED' | 'FAILED' | 'ERROR'
  readonly path: string | null
  readonly message: string | null
  readonly durationMs: number
}

interface TestResult extends TestOutcome {
  readonly logs: readonly { readonly level: string; readonly text: string }[]
}

interface Report {
  readonly status: 'PASSED' | 'FAILED'
  readonly passed: number
  readonly failed: number
  readonly tests: readonly TestResult[]
  readonly problems: readonly Problem[]
}

/** The line of a test that has passed. */
export const passedLine = (screen: Screen, { function: apiName, name, durationMs }: TestOutcome): string =>
  `${screen.styled('green', 'ok')} ${plainLine(`${apiName}/${name}`)}  ${durationMs} ms`

function testLines(screen: Screen, test: TestResult, files: Files): string[] {
  const { function: apiName, name, file, path, status, message, durationMs, logs } = test
  if (status === 'PASSED') return [passedLine(screen, test)]
  const place = plainLine(placeOf({ file, path: path ?? '' }, files))
  return [
    `${screen.styled('red', 'x')} ${plainLine(`${apiName}/${name}`)}  ${durationMs} ms  ${status}  ${screen.styled('bold', place)}`,
    `    ${plainLine(message ?? '')}`,
    ...logs.map(({ level, text }) => screen.styled('dim', `    ${plainLine(level)}  ${plainLine(text)}`)),
  ]
}

/** Runs tests of the functions of the project on the server, where they change nothing. Ends with 1 unless all of them pass. */
export async function test(context: Context, functions: readonly string[]): Promise<void> {
  const { screen } = context
  const project = await findProject('.')
  const all = await readProject(project)
  const isSent = (path: string): boolean => path === projectFile || path.startsWith(`${project.source}functions/`)
  const files = Object.fromEntries(Object.entries(all).filter(([path]) => isSent(path)))
  const api = await apiOf(context)
  const body = { source: { files }, ...(functions.length > 0 && { functions }) }
  const report = await screen.during('Testing', () => api.post<Report>('/v1/metadata/tests', body))
  const { status, passed, failed, tests, problems } = report
  const placed = tests.map((one) => ({ ...one, place: placeOf({ ...one, path: one.path ?? '' }, files) }))
  const totalMs = tests.reduce((sum, { durationMs }) => sum + durationMs, 0)
  screen.result({ ...report, tests: placed, problems: positioned(problems, files) }, () => [
    ...tests.flatMap((one) => testLines(screen, one, files)),
    ...problems.flatMap((problem) => problemLines(screen, problem, files)),
    `${plural(passed, 'test')} passed, ${failed} failed, in ${totalMs} ms.${problems.length > 0 ? ` ${plural(problems.length, 'problem')}.` : ''}`,
  ])
  if (status !== 'PASSED') throw new ShownFailure('refused', 'TESTS_FAILED', 'Tests have failed.')
}
