import type { GraphQLSchema } from 'graphql'
import type { DeclaredOperation } from '../../../subgraphs/kernel/record/operation.ts'
import type { PrintedPart } from '../printed-rest.ts'
import { documentOf } from './document.ts'
import { operationApi } from './operation-api.ts'
import { pathsOf } from './paths.ts'
import { schemasOf } from './schemas.ts'

/** The declared operations of one subgraph. */
export interface DeclaredOperations {
  readonly schema: GraphQLSchema
  readonly operations: readonly DeclaredOperation[]
}

const titleOf = (folder: string): string => (folder.charAt(0).toUpperCase() + folder.slice(1)).replaceAll('-', ' ')

/** The schemas that the text refers to, directly or through others of them: shared parameters have schemas of their own. */
function referenced(schemas: PrintedPart['schemas'], text: string): PrintedPart['schemas'] {
  const isNamed = (name: string, within: string): boolean => within.includes(`"#/components/schemas/${name}"`)
  const names = Object.keys(schemas)
  const kept = new Set(names.filter((name) => isNamed(name, text)))
  for (const name of kept) {
    const within = JSON.stringify(schemas[name])
    for (const other of names) if (isNamed(other, within)) kept.add(other)
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => kept.has(name)))
}

/**
 * The contracts and the stored documents of declared operations. `isElsewhere` says which schemas another part prints, or are written by
 * hand in another folder than this one. A schema that several operations need is printed with the first of them.
 */
export function operationParts(
  declared: readonly DeclaredOperations[],
  isElsewhere: (schema: string, folder: string) => boolean,
): PrintedPart[] {
  const printed = new Set<string>()
  const apis = declared.flatMap(({ schema, operations }) => operations.map((one) => operationApi(schema, one)))
  return Object.entries(Object.groupBy(apis, (api) => api.declared.folder)).map(([folder, own = []]) => {
    const schemas = Object.assign(
      {},
      ...own.map((api) => {
        const added = schemasOf(api, (name) => printed.has(name) || isElsewhere(name, folder))
        for (const name of Object.keys(added)) printed.add(name)
        return added
      }),
    ) as PrintedPart['schemas']
    const paths = pathsOf(own)
    const kept = referenced(schemas, JSON.stringify(paths))
    // What nothing here refers to is not printed, so another folder may print it.
    for (const name of Object.keys(schemas)) if (!Object.hasOwn(kept, name)) printed.delete(name)
    return {
      folder,
      isRecord: false,
      tags: [{ name: titleOf(folder) }],
      paths,
      schemas: kept,
      documents: own.map((api) => [api.declared.id, documentOf(api)] as const),
    }
  })
}
