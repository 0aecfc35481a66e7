import { customObject, customObjectName } from '../../kernel/record/custom-object.ts'
import { readScopeOf } from '../../kernel/record/requires-scope.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { findRecords } from '../../kernel/search/find-records.ts'
import { searchedShapes } from '../../kernel/search/searched-types.ts'
import { namedShapes } from '../named-shapes.ts'
import type { SearchAnswer } from './search.types.ts'

interface Search {
  readonly q: string
  readonly types: readonly string[] | null
  readonly limit: number
}

/** Searches the types that the caller may read; a named type without its scope refuses the search. */
export async function search(ctx: RequestContext, { q, types, limit }: Search): Promise<SearchAnswer> {
  const all = searchedShapes(ctx.shapes)
  const what = 'that are searched'
  const wanted = types ? namedShapes(ctx.caller, all, { names: types, path: 'types', what }) : all
  const isAllowed = ({ entity }: RecordShape): boolean => holdsScope(ctx.caller, readScopeOf(entity))
  const isReadable = (shape: RecordShape): boolean =>
    isAllowed(shape) &&
    (shape.entitlement === undefined || types !== null || ctx.caller.entitlements.includes(shape.entitlement))
  const shapes = wanted.filter(isReadable)
  const skipped = wanted.filter((shape) => !shapes.includes(shape))
  // Without the scope nobody learns which custom objects there are.
  const nameOf = (shape: RecordShape): string =>
    customObjectName(shape.object) === null || isAllowed(shape) ? shape.object : customObject('*')
  const skippedTypes = [...new Set(skipped.map(nameOf))]
  const found = await findRecords(ctx, { text: q, path: 'query', shapes, limit })
  return { query: q, skippedTypes, ...found } as SearchAnswer
}
