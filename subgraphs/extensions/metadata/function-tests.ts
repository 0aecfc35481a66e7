import { Refusal } from '../../kernel/errors.ts'
import type { StoredComponent } from '../../kernel/metadata/component.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { runTestsMax } from '../function-test/bounds.ts'
import {
  acting,
  knownFunctions,
  selected,
  type Compile,
  type GivenFunction,
  type KnownFunction,
  type TestNames,
} from '../function-test/tested-functions.ts'
import type { TestedFunction } from '../function-test/run-tests.ts'
import { functionAsWanted, functionComponent, problemsOfSettings } from '../function/function.component.ts'
import { requireRightToProgram } from '../function/function.rules.ts'
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
      return { wanted: functionAsWanted(packaged, stored.get(name) ?? null, userId), sources, file, folder }
    })

/** The functions of the organization, as a retrieval names their files. */
export const functionsOfOrganization = (stored: StoredFunctions, userId: string): GivenFunction[] =>
  [...stored.values()].map((one) => {
    const file = `${retrievedProject.sourceDir}/${functionComponent.pathOf(one.name)}`
    const folder = file.slice(0, file.lastIndexOf('/') + 1)
    return { wanted: functionAsWanted(null, one, userId), sources: null, file, folder }
  })

export interface TestsToRun {
  /** All functions, of which `names` must name some. */
  readonly known: readonly KnownFunction[]
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
  const known = await knownFunctions(ctx, given, compile)
  const chosen = selected(known, names)
  const count = chosen.reduce((sum, { tests }) => sum + tests.length, 0)
  if (count > runTestsMax) {
    const message = `A run must have at most ${runTestsMax} tests; name functions.`
    return { known, functions: [], problems: [{ file: null, path, code: 'TOO_MANY', message }] }
  }
  const problems: Partial<MetadataProblem>[] = []
  const functions: TestedFunction[] = []
  for (const one of chosen) {
    problems.push(...(await problemsOf(ctx, one.given)))
    functions.push(await acting(ctx, one, depth))
  }
  return { known, functions, problems }
}

/** Who has a source run acts as the user of its function, with its scopes: it needs the rights that saving the function needs. */
async function problemsOf(
  ctx: RequestContext,
  { wanted, file, folder }: GivenFunction,
): Promise<Partial<MetadataProblem>[]> {
  const found = problemsOfSettings(wanted)
  if (found.length > 0) return found.map((one) => ({ file, ...one }))
  try {
    await requireRightToProgram(ctx, wanted.previous ?? {}, wanted.next)
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return problemsAt({ file, folder }, error)
  }
}

/** Compiles sources, and notes those that do not compile. */
export const compileNoting =
  (compile: Compile, problems: Partial<MetadataProblem>[]): Compile =>
  async (source, folder) => {
    try {
      return await compile(source, folder)
    } catch (error) {
      if (error instanceof Refusal && error.code === 'COMPILE_ERROR')
        problems.push(...problemsAt({ file: `${folder}${source.file}`, folder }, error))
      throw error
    }
  }
