import { actingCallers } from '../../identity/public.ts'
import { withoutRowLimit } from '../../kernel/database/row-bytes.ts'
import { newId } from '../../kernel/ids.ts'
import type { WantedComponent } from '../../kernel/metadata/component.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { CompiledSource } from '../../kernel/sandbox/sandbox.ts'
import type { FunctionAsWanted } from '../function/function.component.ts'
import type { TestedFunction } from './run-tests.ts'
import { sourceOfTest, testsAmong } from './test-files.ts'

/** A function with its files, or as it is stored: then `sources` are null. */
export interface GivenFunction {
  readonly wanted: FunctionAsWanted
  readonly sources: WantedComponent['sources'] | null
  readonly testNames: readonly string[]
  /** The file of its settings. */
  readonly file: string
  /** Where its files are in the project, with a slash at the end. */
  readonly folder: string
}

/** Which tests run: `<apiName>` for all of a function, `<apiName>/<name>` for one; null for all. */
export type TestNames = readonly string[] | null

/** The names that name nothing, by their places. */
export function unknownNames(names: readonly string[], known: readonly GivenFunction[]): number[] {
  const words = new Set(
    known.flatMap(({ wanted: { next }, testNames }) => [
      next.apiName,
      ...testNames.map((name) => `${next.apiName}/${name}`),
    ]),
  )
  return names.flatMap((name, index) => (words.has(name) ? [] : [index]))
}

/** The functions that have tests, with those that are named. */
export function selected(functions: readonly GivenFunction[], names: TestNames): GivenFunction[] {
  const words = new Set(names)
  return functions.flatMap((one) => {
    const { apiName } = one.wanted.next
    const isWhole = names === null || words.has(apiName)
    const testNames = isWhole ? one.testNames : one.testNames.filter((name) => words.has(`${apiName}/${name}`))
    return testNames.length > 0 ? [{ ...one, testNames }] : []
  })
}

/** Compiles a source that is not stored, of the function whose files are in the folder. */
export type Compile = (
  source: NonNullable<FunctionAsWanted['source']>,
  folder: string,
  endsAt: number,
) => Promise<CompiledSource>

/** The selected functions with what they run, their tests, and the users as whom they act, with the rights of this moment. What is stored of all of them is read at once. */
export async function testedFunctions(
  ctx: RequestContext,
  chosen: readonly GivenFunction[],
  { compile, depth }: { readonly compile: Compile; readonly depth: number },
): Promise<TestedFunction[]> {
  const { organizationId } = ctx.caller
  const programs = await deployedPrograms(ctx, chosen)
  const texts = await textsOf(ctx, chosen)
  const named = chosen.map((given) => ({ given, functionId: given.wanted.previous?.id ?? newId() }))
  const callers = await actingCallers(
    ctx.db,
    organizationId,
    named.map(({ given, functionId }) => {
      const { runAsUserId, scopes, runAsAdmin } = given.wanted.next
      // What a test names is no use of it.
      const origin = { kind: 'FUNCTION_TEST', id: functionId, runId: newId() }
      return { userId: runAsUserId, scopes, runAsAdmin, origin, depth }
    }),
  )
  return named.map(({ given, functionId }, index) => {
    const { wanted, sources, testNames, folder } = given
    const { next, source, secretNames } = wanted
    const own = sources === null ? (texts.get(functionId) ?? {}) : testsAmong(sources)
    return {
      apiName: next.apiName,
      functionId,
      settings: next,
      secretNames,
      tests: testNames
        .filter((name) => Object.hasOwn(own, name))
        .map((name) => ({ name, text: own[name]!, file: `${folder}${sourceOfTest(name)}` })),
      program: (endsAt) =>
        source ? compile(source, folder, endsAt) : Promise.resolve(programs.get(functionId) ?? null),
      caller: callers[index]!,
    }
  })
}

/** What the functions run of which the source stays. */
async function deployedPrograms({ db, caller }: RequestContext, chosen: readonly GivenFunction[]) {
  const ids = chosen.flatMap(({ wanted: { source, previous } }) => (source === null && previous ? [previous.id] : []))
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

/** The texts of the selected tests that are stored, by the ids of their functions and by their names. */
async function textsOf({ db, caller }: RequestContext, chosen: readonly GivenFunction[]) {
  const keys = chosen.flatMap(({ wanted: { previous }, sources, testNames }) =>
    sources === null && previous ? testNames.map((name) => [previous.id, name] as const) : [],
  )
  const rows = await withoutRowLimit(db).query<{ functionId: string; name: string; text: string }>(
    `select t.function_id as "functionId", t.name, t.content as text
     from unnest($2::uuid[], $3::text[]) chosen(function_id, name)
     join extensions.function_test t on t.organization_id = $1 and t.function_id = chosen.function_id and t.name = chosen.name`,
    [caller.organizationId, keys.map(([id]) => id), keys.map(([, name]) => name)],
  )
  const groups = Map.groupBy(rows, ({ functionId }) => functionId)
  return new Map(
    [...groups].map(([id, tests]) => [id, Object.fromEntries(tests.map(({ name, text }) => [name, text]))]),
  )
}
