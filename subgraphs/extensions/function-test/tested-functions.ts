import { actingCaller } from '../../identity/public.ts'
import { withoutRowLimit } from '../../kernel/database/row-bytes.ts'
import { newId } from '../../kernel/ids.ts'
import type { WantedComponent } from '../../kernel/metadata/component.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { CompiledSource } from '../../kernel/sandbox/sandbox.ts'
import type { FunctionAsWanted } from '../function/function.component.ts'
import type { SelectedTest, TestedFunction } from './run-tests.ts'
import { sourceOfTest, testsAmong } from './test-files.ts'

/** A function with its files, or as it is stored: then `sources` are null. */
export interface GivenFunction {
  readonly wanted: FunctionAsWanted
  readonly sources: WantedComponent['sources'] | null
  /** The file of its settings. */
  readonly file: string
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
  known: readonly Pick<KnownFunction, 'apiName' | 'tests'>[],
): number[] {
  const words = new Set(
    known.flatMap(({ apiName, tests }) => [apiName, ...tests.map(({ name }) => `${apiName}/${name}`)]),
  )
  return names.flatMap((name, index) => (words.has(name) ? [] : [index]))
}

/** The functions that have tests, with those that are named. */
export function selected(functions: readonly KnownFunction[], names: TestNames): KnownFunction[] {
  const words = new Set(names)
  return functions.flatMap((one) => {
    const { apiName } = one
    const isWhole = names === null || words.has(apiName)
    const tests = isWhole ? one.tests : one.tests.filter(({ name }) => words.has(`${apiName}/${name}`))
    return tests.length > 0 ? [{ ...one, tests }] : []
  })
}

/** Compiles a source that is not stored, of the function whose files are in the folder. */
export type Compile = (source: NonNullable<FunctionAsWanted['source']>, folder: string) => Promise<CompiledSource>

/** A function with its tests, of whose user nothing is known yet. */
export interface KnownFunction extends Omit<TestedFunction, 'caller'> {
  readonly given: GivenFunction
}

/** Functions with their tests, and with what they run. */
export async function knownFunctions(
  ctx: RequestContext,
  all: readonly GivenFunction[],
  compile: Compile,
): Promise<KnownFunction[]> {
  const ids = all.flatMap(({ wanted }) => wanted.previous?.id ?? [])
  const programs = await deployedPrograms(ctx, ids)
  const tests = Map.groupBy(await testsOf(ctx, ids), ({ functionId }) => functionId)
  return all.map((given) => {
    const { wanted, sources, folder } = given
    const { next, previous, source, secretNames } = wanted
    const functionId = previous?.id ?? newId()
    const own = sources === null ? (tests.get(functionId) ?? []) : namedTests(sources)
    return {
      given,
      apiName: next.apiName,
      functionId,
      settings: next,
      secretNames,
      tests: own.map((one) => testOf(folder, one)),
      program: () => (source ? compile(source, folder) : Promise.resolve(programs.get(functionId) ?? null)),
    }
  })
}

/** The function with the user as whom it acts, with the rights of this moment. */
export const acting = async (ctx: RequestContext, known: KnownFunction, depth: number): Promise<TestedFunction> => ({
  ...known,
  caller: await callerOf(ctx, known, depth),
})

const namedTests = (sources: WantedComponent['sources']): NamedTest[] =>
  Object.entries(testsAmong(sources))
    .map(([name, text]) => ({ name, text }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))

function callerOf({ db, caller }: RequestContext, { given, functionId }: KnownFunction, depth: number) {
  const { runAsUserId, scopes, runAsAdmin } = given.wanted.next
  // What a test names is no use of it.
  const origin = { kind: 'FUNCTION_TEST', id: functionId, runId: newId() }
  const { organizationId } = caller
  return actingCaller(db, { organizationId, userId: runAsUserId, scopes, runAsAdmin, origin, depth })
}

async function deployedPrograms({ db, caller }: RequestContext, ids: readonly string[]) {
  const rows = await withoutRowLimit(db).query<
    CompiledSource & { readonly functionId: string } & Record<string, unknown>
  >(
    `select v.function_id as "functionId", v.code, v.source_map as "sourceMap" from extensions.function f
     join extensions.function_version v on v.organization_id = f.organization_id and v.id = f.deployed_version_id
     where f.organization_id = $1 and f.id = any($2::uuid[])`,
    [caller.organizationId, ids],
  )
  return new Map(rows.map(({ functionId, code, sourceMap }) => [functionId, { code, sourceMap }]))
}

const testsOf = ({ db, caller }: RequestContext, ids: readonly string[]) =>
  withoutRowLimit(db).query<NamedTest & { readonly functionId: string } & Record<string, unknown>>(
    `select function_id as "functionId", name, content as text from extensions.function_test
     where organization_id = $1 and function_id = any($2::uuid[]) order by name collate "C"`,
    [caller.organizationId, ids],
  )
