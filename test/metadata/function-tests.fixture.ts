import { expect } from 'vitest'
import type { Member } from '../platform.ts'
import { json, type Files } from './metadata.fixture.ts'

export interface AFunction {
  readonly source?: string
  readonly settings?: object
  readonly tests?: Readonly<Record<string, object>>
}

/** The files of functions with their tests, by their names. */
export const functionFiles = (functions: Readonly<Record<string, AFunction>>): Files =>
  Object.fromEntries(
    Object.entries(functions).flatMap(([apiName, { source, settings = {}, tests = {} }]) => {
      const folder = `src/functions/${apiName}`
      return [
        [`${folder}/function.json`, json({ name: apiName, ...settings })],
        ...(source === undefined ? [] : [[`${folder}/index.js`, source]]),
        ...Object.entries(tests).map(([name, test]) => [`${folder}/tests/${name}.json`, json(test)]),
      ] as [string, string][]
    }),
  )

/** A function that grades, with a test that passes. */
export const grading: AFunction = {
  source:
    'export default ({ score }) => { console.log(`${score} points`); return { grade: score >= 80 ? "A" : "B", score } }',
  tests: { best: { input: { score: 91 }, expect: { output: { grade: 'A' } } } },
}

export interface Report {
  readonly status: string
  readonly passed: number
  readonly failed: number
  readonly tests: readonly {
    readonly function: string
    readonly name: string
    readonly file: string
    readonly status: string
    readonly path: string | null
    readonly message: string | null
    readonly durationMs: number
    readonly logs: readonly { readonly level: string; readonly text: string }[]
  }[]
  readonly problems: readonly { readonly file: string | null; readonly path: string; readonly code: string }[]
}

export const runTests = (by: Member, files: Files | null, functions?: readonly string[]) =>
  by.rest['metadataTest']!({ body: { ...(files && { source: { files } }), ...(functions && { functions }) } } as never)

/** The report of a run, which must be answered. */
export async function tested(by: Member, files: Files | null, functions?: readonly string[]): Promise<Report> {
  const { status, body } = await runTests(by, files, functions)
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200)
  return body as unknown as Report
}

/** What became of each test: `best PASSED`, `best FAILED expect.output`. */
export const outcomes = ({ tests }: Report): string[] =>
  tests.map(({ name, status, path }) => [name, status, path].filter((part) => part !== null).join(' '))

export const messageOf = ({ tests }: Report, name: string): string | null =>
  tests.find((test) => test.name === name)!.message
