import { requireRightToActAs } from '../../identity/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { StoredComponent } from '../../kernel/metadata/component.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { runTestsMax } from '../function-test/bounds.ts'
import { testNameOf, testsAmong } from '../function-test/test-files.ts'
import {
  selected,
  testedFunctions,
  type Compile,
  type GivenFunction,
  type TestNames,
} from '../function-test/tested-functions.ts'
import type { TestedFunction } from '../function-test/run-tests.ts'
import { functionAsWanted, functionComponent, problemsOfSettings } from '../function/function.component.ts'
import { requireScopesToProgram, usersOf } from '../function/function.rules.ts'
import type { MetadataProblem } from './deployment.types.ts'
import type { PackagedComponent } from './package.ts'
import { problemsAt } from './problems.ts'
import { retrievedProject } from './project-file.ts'

type StoredFunctions = ReadonlyMap<string, StoredComponent>

/** The functions of a project, with what the organization has of them. */
export const functionsOfProject = (
  components: readonly PackagedComponent[],
  stored: StoredFunctions,
  userId: string,
): GivenFunction[] =>
  components
    .filter(({ component }) => component === functionComponent)
    .map((packaged) => {
      const { name, sources, file, folder } = packaged
      const wanted = functionAsWanted(packaged, stored.get(name) ?? null, userId)
      return { wanted, sources, testNames: Object.keys(testsAmong(sources)).toSorted(), file, folder }
    })

/** The functions of the organization, as a retrieval names their files. */
export const functionsOfOrganization = (stored: StoredFunctions, userId: string): GivenFunction[] =>
  [...stored.values()].map((one) => {
    const file = `${retrievedProject.sourceDir}/${functionComponent.pathOf(one.name)}`
    const folder = file.slice(0, file.lastIndexOf('/') + 1)
    const testNames = Object.keys(one.sources ?? {}).flatMap((source) => testNameOf(source) ?? [])
    return { wanted: functionAsWanted(null, one, userId), sources: null, testNames, file, folder }
  })

export interface TestsToRun {
  readonly functions: readonly TestedFunction[]
  readonly problems: readonly Partial<MetadataProblem>[]
}

export interface TestsWanted {
  readonly names: TestNames
  /** What the client named them by. */
  readonly path: string
  readonly depth: number
  readonly compile: Compile
}

/** Those of the functions with the tests that are named, or all of them. With problems, none may run. */
export async function testsToRun(
  ctx: RequestContext,
  given: readonly GivenFunction[],
  { names, path, depth, compile }: TestsWanted,
): Promise<TestsToRun> {
  const chosen = selected(given, names)
  const count = chosen.reduce((sum, { testNames }) => sum + testNames.length, 0)
  if (count > runTestsMax) {
    const message = `A run must have at most ${runTestsMax} tests; name functions.`
    return { functions: [], problems: [{ file: null, path, code: 'TOO_MANY', message }] }
  }
  const problems = await problemsOf(ctx, chosen)
  return { problems, functions: problems.length > 0 ? [] : await testedFunctions(ctx, chosen, { compile, depth }) }
}

/** Who has a source run acts as the user of its function, with its scopes: it needs the rights that saving the function needs. */
async function problemsOf(ctx: RequestContext, chosen: readonly GivenFunction[]): Promise<Partial<MetadataProblem>[]> {
  const refused = new Map<string, Refusal | null>()
  for (const userId of usersOf(chosen.flatMap(({ wanted }) => programsOf(wanted))))
    refused.set(userId, await refusalOf(() => requireRightToActAs(ctx, userId)))
  const problems: Partial<MetadataProblem>[] = []
  for (const { wanted, file, folder } of chosen) {
    const found = problemsOfSettings(wanted)
    problems.push(...found.map((one) => ({ file, ...one })))
    if (found.length > 0) continue
    const programs = programsOf(wanted)
    const refusal =
      (await refusalOf(() => requireScopesToProgram(ctx, ...programs))) ??
      [...usersOf(programs)].map((userId) => refused.get(userId)).find((one) => one)
    if (refusal) problems.push(...problemsAt({ file, folder }, refusal))
  }
  return problems
}

const programsOf = ({ previous, next }: GivenFunction['wanted']) => [previous ?? {}, next]

async function refusalOf(check: () => Promise<void> | void): Promise<Refusal | null> {
  try {
    await check()
    return null
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** Compiles sources, and notes those that do not compile. */
export const compileNoting =
  (compile: Compile, problems: Partial<MetadataProblem>[]): Compile =>
  async (source, folder, endsAt) => {
    try {
      return await compile(source, folder, endsAt)
    } catch (error) {
      if (error instanceof Refusal && error.code === 'COMPILE_ERROR')
        problems.push(...problemsAt({ file: `${folder}${source.file}`, folder }, error))
      throw error
    }
  }
