import type { ComponentProblem, WantedComponent } from '../../kernel/metadata/component.ts'
import { testBytesMax, testNamePattern, testsMax } from './bounds.ts'

const testFile = /^tests\/(.*)\.json$/

/** The name of the test whose file this is; null for another file. */
export const testNameOf = (source: string): string | null => testFile.exec(source)?.[1] ?? null

/** The texts of the tests among the files of a function, by the names of the tests. */
export const testsAmong = (sources: WantedComponent['sources']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(sources).flatMap(([source, text]) => {
      const name = testNameOf(source)
      return name === null ? [] : [[name, text]]
    }),
  )

export const sourceOfTest = (name: string): string => `tests/${name}.json`

/** What is wrong with the tests among the files of a function, besides what their schema says. */
export function testProblems({ sources }: WantedComponent): ComponentProblem[] {
  const tests = Object.entries(testsAmong(sources))
  const bytes = tests.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0)
  const problem = (code: string, message: string): ComponentProblem => ({ path: '', code, message })
  if (tests.length > testsMax) return [problem('TOO_MANY', `A function must have at most ${testsMax} tests.`)]
  if (bytes > testBytesMax)
    return [problem('TOO_LARGE', `The tests of a function must have at most ${testBytesMax} bytes together.`)]
  return tests.flatMap(([name]): ComponentProblem[] => {
    if (testNamePattern.test(name)) return []
    const message = 'The name of a test must be 1 to 64 letters, digits, underscores and hyphens.'
    return [{ ...problem('WRONG_PATH', message), source: sourceOfTest(name) }]
  })
}
