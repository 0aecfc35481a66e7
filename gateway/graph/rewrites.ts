import type { FetchDataRewrite } from '@apollo/query-planner'
import { isAbstractType, type GraphQLSchema } from 'graphql'
import { isData, own } from './merge.ts'
import type { Data } from './shape.ts'

const fragmentPrefix = '... on '

/** Whether an object that says it is of type `typename` satisfies a type condition. */
export function satisfies(schema: GraphQLSchema, typename: string, condition: string): boolean {
  if (typename === condition) return true
  const conditional = schema.getType(condition)
  const type = schema.getType(typename)
  return isAbstractType(conditional) && !!type && 'getInterfaces' in type && schema.isSubType(conditional, type)
}

function rewriteAt(
  schema: GraphQLSchema,
  path: readonly string[],
  value: unknown,
  rewrite: (data: Data) => void,
): void {
  if (Array.isArray(value)) {
    for (const item of value) rewriteAt(schema, path, item, rewrite)
    return
  }
  if (!isData(value)) return
  const [first, ...rest] = path
  if (first === undefined) {
    rewrite(value)
  } else if (first.startsWith(fragmentPrefix)) {
    // Plans do not fetch the type of every object that a rewrite changes, so the rewrite also applies if the type is unknown.
    const typename = value['__typename']
    const applies = typeof typename !== 'string' || satisfies(schema, typename, first.slice(fragmentPrefix.length))
    if (applies) rewriteAt(schema, rest, value, rewrite)
  } else {
    rewriteAt(schema, rest, own(value, first), rewrite)
  }
}

/** Applies the planner's rewrites to the data sent to a subgraph or received from it. */
export function applyRewrites(
  schema: GraphQLSchema,
  rewrites: readonly FetchDataRewrite[] | undefined,
  value: unknown,
): void {
  for (const rewrite of rewrites ?? []) {
    const key = rewrite.path.at(-1)
    if (key === undefined) continue
    rewriteAt(schema, rewrite.path.slice(0, -1), value, (data) => {
      if (rewrite.kind === 'ValueSetter') {
        data[key] = rewrite.setValueTo
      } else if (own(data, key) !== undefined) {
        data[rewrite.renameKeyTo] = data[key]
        data[key] = undefined
      }
    })
  }
}

/** The client's names of the keys that the planner renamed, used in the paths of errors. */
export function renamedKeys(rewrites: readonly FetchDataRewrite[] | undefined): ReadonlyMap<string, string> {
  return new Map(
    (rewrites ?? []).flatMap((rewrite) => {
      const key = rewrite.path.at(-1)
      return rewrite.kind === 'KeyRenamer' && key !== undefined ? [[key, rewrite.renameKeyTo] as const] : []
    }),
  )
}
