import { invalid } from '../../kernel/errors.ts'
import { readScopeOf } from '../../kernel/record/requires-scope.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { findRecords } from '../../kernel/search/find-records.ts'
import { searchedShapes } from '../../kernel/search/searched-types.ts'
import { requireScopes } from '../../kernel/unmet-scopes.ts'
import type { SearchAnswer } from './search.types.ts'

interface Search {
  readonly q: string
  readonly types: readonly string[] | null
  readonly limit: number
}

/** Searches the types that the caller may read; a named type without its scope refuses the search. */
export async function search(ctx: RequestContext, { q, types, limit }: Search): Promise<SearchAnswer> {
  const all = searchedShapes(ctx.shapes)
  const wanted = types ? namedShapes(all, types) : all
  const scopeOf = ({ entity }: RecordShape): string => readScopeOf(entity)
  if (types)
    requireScopes(
      ctx.caller,
      wanted.map((shape) => [[scopeOf(shape)]]),
    )
  const isReadable = (shape: RecordShape): boolean =>
    holdsScope(ctx.caller, scopeOf(shape)) &&
    (shape.entitlement === undefined || types !== null || ctx.caller.entitlements.includes(shape.entitlement))
  const shapes = wanted.filter(isReadable)
  const skippedTypes = wanted.filter((shape) => !shapes.includes(shape)).map(({ object }) => object)
  const found = await findRecords(ctx, { text: q, path: 'query', shapes, limit })
  return { query: q, skippedTypes, ...found } as SearchAnswer
}

function namedShapes(all: readonly RecordShape[], types: readonly string[]): RecordShape[] {
  const byName = new Map(all.map((shape) => [shape.object, shape]))
  const unknown = types.findIndex((name) => !byName.has(name))
  if (unknown >= 0)
    throw invalid({
      path: `types.${unknown}`,
      code: 'NOT_ALLOWED',
      message: `types must contain record types that are searched: ${[...byName.keys()].join(', ')}.`,
    })
  return [...new Set(types)].map((name) => byName.get(name)!)
}
