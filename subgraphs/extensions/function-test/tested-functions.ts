import { actingCaller } from '../../identity/public.ts'
import { newId } from '../../kernel/ids.ts'
import type { WantedComponent } from '../../kernel/metadata/component.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { CompiledSource } from '../../kernel/sandbox/sandbox.ts'
import { sourceOfTest, testsAmong, type FunctionAsWanted } from '../function/function.component.ts'
import type { SelectedTest, TestedFunction } from './run-tests.ts'

/** A function with its files, or as it is stored: then `sources` are null. */
export interface GivenFunction {
  readonly wanted: FunctionAsWanted
  readonly sources: WantedComponent['sources'] | null
  /** Where its files are in the project, with a slash at the end. */
  readonly folder: string
}

/** Which tests run: `<apiName>` for all of a function, `<apiName>/<name>` for one; null for all. */
export type TestNames = readonly string[] | null

interface NamedTest {
  readonly name: string
  readonly text: string
}

const testOf = (folder: string, { name, text }: NamedTest): SelectedTest => ({
  name,
  text,
  file: `${folder}${sourceOfTest(name)}`,
})

/** The names that name nothing, by their places. */
export function unknownNames(
  names: readonly string[],
  known: readonly Pick<TestedFunction, 'apiName' | 'tests'>[],
): number[] {
  const words = new Set(
    known.flatMap(({ apiName, tests }) => [apiName, ...tests.map(({ name }) => `${apiName}/${name}`)]),
  )
  return names.flatMap((name, index) => (words.has(name) ? [] : [index]))
}

/** The functions with those of their tests that are named. */
export function selected<F extends Pick<TestedFunction, 'apiName' | 'tests'>>(
  functions: readonly F[],
  names: TestNames,
): F[] {
  if (names === null) return [...functions]
  const words = new Set(names)
  return functions.flatMap((one) => {
    const { apiName } = one
    const tests = words.has(apiName) ? one.tests : one.tests.filter(({ name }) => words.has(`${apiName}/${name}`))
    return tests.length > 0 ? [{ ...one, tests }] : []
  })
}

/** Compiles a source that is not stored, of the function whose files are in the folder. */
export type Compile = (source: NonNullable<FunctionAsWanted['source']>, folder: string) => Promise<CompiledSource>

/** Functions with what their tests need of the database. */
export async function testedFunctions(
  ctx: RequestContext,
  given: readonly GivenFunction[],
  { depth, compile }: { readonly depth: number; readonly compile: Compile },
): Promise<TestedFunction[]> {
  const ids = given.flatMap(({ wanted }) => wanted.previous?.id ?? [])
  const programs = await deployedPrograms(ctx, ids)
  const tests = Map.groupBy(await testsOf(ctx, ids), ({ functionId }) => functionId)
  const tested: TestedFunction[] = []
  for (const { wanted, sources, folder } of given) {
    const { next, previous, source, secretNames } = wanted
    const functionId = previous?.id ?? newId()
    const own = sources === null ? (tests.get(functionId) ?? []) : namedTests(sources)
    tested.push({
      apiName: next.apiName,
      functionId,
      settings: next,
      secretNames,
      tests: own.map((one) => testOf(folder, one)),
      program: () => (source ? compile(source, folder) : Promise.resolve(programs.get(functionId) ?? null)),
      caller: await callerOf(ctx, wanted, functionId, depth),
    })
  }
  return tested
}

const namedTests = (sources: WantedComponent['sources']): NamedTest[] =>
  Object.entries(testsAmong(sources))
    .map(([name, text]) => ({ name, text }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))

const callerOf = ({ db, caller }: RequestContext, { next }: FunctionAsWanted, functionId: string, depth: number) =>
  actingCaller(db, {
    organizationId: caller.organizationId,
    userId: next.runAsUserId,
    scopes: next.scopes,
    runAsAdmin: next.runAsAdmin,
    origin: { kind: 'FUNCTION', id: functionId, runId: newId() },
    depth,
  })

async function deployedPrograms({ db, caller }: RequestContext, ids: readonly string[]) {
  const rows = await db.query<CompiledSource & { readonly functionId: string } & Record<string, unknown>>(
    `select v.function_id as "functionId", v.code, v.source_map as "sourceMap" from extensions.function f
     join extensions.function_version v on v.organization_id = f.organization_id and v.id = f.deployed_version_id
     where f.organization_id = $1 and f.id = any($2::uuid[])`,
    [caller.organizationId, ids],
  )
  return new Map(rows.map(({ functionId, code, sourceMap }) => [functionId, { code, sourceMap }]))
}

const testsOf = ({ db, caller }: RequestContext, ids: readonly string[]) =>
  db.query<NamedTest & { readonly functionId: string } & Record<string, unknown>>(
    `select function_id as "functionId", name, content as text from extensions.function_test
     where organization_id = $1 and function_id = any($2::uuid[]) order by name collate "C"`,
    [caller.organizationId, ids],
  )
