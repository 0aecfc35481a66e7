import { isBlockedPath } from '../gateway/edge/blocked-path.ts'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { documentsOf, fragmentsIn } from './documents.ts'
import type { Outcomes } from './examples.ts'
import { needsOf, tagOrder } from './needs.ts'
import type { OpenApiDocument, PathItem, ResponseObject } from './openapi.ts'
import { operationsIn } from './operations-in.ts'
import { parseYaml } from './parse-yaml.ts'
import { patched } from './patch.ts'
import { addRelatedSchemas } from './related-schemas.ts'
import { addScopeLists } from './scope-lists.ts'
import { withSecondNames, type SecondNames } from './second-names.ts'

interface Root extends Omit<OpenApiDocument, 'paths'> {
  readonly 'x-path-aliases'?: Readonly<Record<string, string>>
  readonly 'x-outcomes'?: Outcomes
  readonly 'x-second-names'?: SecondNames
  readonly 'x-every-role'?: readonly string[]
  readonly 'x-common-responses'?: Readonly<Record<string, ResponseObject>>
  readonly 'x-common-headers'?: Readonly<Record<string, unknown>>
}

type Area = Pick<OpenApiDocument, 'tags' | 'paths' | 'components'>

export interface Merged {
  readonly document: OpenApiDocument
  /** Stored GraphQL documents by operation id, complete with fragments. */
  readonly documents: ReadonlyMap<string, string>
  /** The printed fragments of all areas by name. */
  readonly fragments: ReadonlyMap<string, string>
  readonly outcomes: Outcomes
}

/** The subfolder of an area with the files that `npm run schema` prints. */
const standardFolder = 'standard'
/** The OpenAPI file of an area that is written by hand, and the one that is printed. */
const contractFiles = ['openapi.yaml', `${standardFolder}/openapi.json`]

/** Merges the root file and the folders of all areas into one OpenAPI document, and reads the stored documents. */
export function readMerged(folder: string): Merged {
  const root = readYaml(join(folder, 'api.yaml')) as Root
  const paths: Record<string, PathItem> = {}
  const components: Record<string, Record<string, unknown>> = {}
  const tags = [...(root.tags ?? [])]
  const documents = new Map<string, string>()
  addComponents(components, root.components)
  const areas = areasIn(folder)
  // A document may return records of other areas.
  const printedFragments = fragmentsIn(areas.map((name) => join(folder, name, standardFolder)))
  for (const name of areas) {
    const area = areaIn(join(folder, name))
    tags.push(...(area.tags ?? []))
    addComponents(components, area.components ?? {})
    for (const [path, item] of Object.entries(area.paths)) {
      refuseDuplicate(paths, path)
      paths[path] = withCommonParts(forEveryRole(path, item, root), root, area)
    }
    for (const [id, text] of documentsOf([join(folder, name, standardFolder), join(folder, name)], printedFragments)) {
      if (documents.has(id))
        throw new Error(`The name of a stored document must be unique: there are two called ${id}.`)
      documents.set(id, text)
    }
  }
  addScopeLists(components)
  addRelatedSchemas(components['schemas']!)
  const secondNames = root['x-second-names'] ?? {}
  for (const [path, item] of Object.entries(paths)) paths[path] = withSecondNames(item, secondNames, components)
  for (const [alias, original] of Object.entries(root['x-path-aliases'] ?? {})) {
    addAlias(paths, alias, original)
    const name = tagOf(lastSegment(alias))
    // An alias outside of /v1 may have the tag of the original.
    if (tags.some((tag) => tag.name === name)) continue
    tags.push({
      name,
      description: `Alias of \`${original}\`: the same records and the same rules.`,
      'x-alias-of': original,
    })
  }

  const {
    'x-path-aliases': _aliases,
    'x-outcomes': outcomes = {},
    'x-second-names': _secondNames,
    'x-every-role': _everyRole,
    'x-common-responses': _responses,
    'x-common-headers': _headers,
    ...shown
  } = root
  return {
    document: { ...shown, tags: tagOrder(tags, paths), paths, components },
    documents,
    fragments: printedFragments,
    outcomes,
  }
}

const areasIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && contractFiles.some((file) => existsSync(join(folder, entry.name, file))))
    .map((entry) => entry.name)
    .sort()

/** The OpenAPI of an area: the printed file, with the handwritten file applied to it as a merge patch. */
function areaIn(folder: string): Area {
  const [handwrittenFile, printedFile] = contractFiles.map((file) => join(folder, file)) as [string, string]
  const handwritten = (existsSync(handwrittenFile) ? readYaml(handwrittenFile) : {}) as Area
  if (!existsSync(printedFile)) return handwritten
  const printed = readJson(printedFile) as Area
  const area = patched(printed, handwritten) as Area
  return area.paths ? { ...area, paths: inOrder(area.paths, printed, handwritten) } : area
}

/** First the printed paths. A path of which only a part is printed, such as parameters, has its place in the handwritten file. */
function inOrder(paths: Area['paths'], printed: Area, handwritten: Area): Area['paths'] {
  const isWhole = (path: string): boolean =>
    operationsIn(printed.paths[path]!).some(([, { operationId }]) => operationId !== undefined)
  const first = Object.keys(printed.paths ?? {}).filter(isWhole)
  const all = [...first, ...Object.keys(handwritten.paths ?? {})]
  // A patch can remove a printed path.
  return Object.fromEntries(all.flatMap((path) => (paths[path] ? [[path, paths[path]]] : [])))
}

function addComponents(all: Record<string, Record<string, unknown>>, added: OpenApiDocument['components']): void {
  for (const [kind, named] of Object.entries(added)) {
    const known = (all[kind] ??= {})
    for (const [name, component] of Object.entries(named)) {
      // An enumeration that records of several areas use is printed in each of these areas, so equal components are accepted.
      if (!isDeepStrictEqual(known[name], component)) refuseDuplicate(known, name)
      known[name] = component
    }
  }
}

/** The text of a file. A reference to the root file becomes a reference to the same place in the merged document. */
const fileText = (file: string): string => readFileSync(file, 'utf8').replaceAll(/(\.\.\/)+api\.yaml#\//g, '#/')

const readYaml = (file: string): unknown => parseYaml(fileText(file))
const readJson = (file: string): unknown => JSON.parse(fileText(file))

function refuseDuplicate(all: Readonly<Record<string, unknown>>, key: string): void {
  if (Object.hasOwn(all, key)) throw new Error(`${key} must be described only once in schema/rest.`)
}

/** Marks the operations that are no GET and that users with the role READ_ONLY may call: the root names them, or the paths that they are below. */
function forEveryRole(path: string, item: PathItem, { 'x-every-role': named = [] }: Root): PathItem {
  const isBelow = named.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
  const operations = operationsIn(item).flatMap(([method, operation]) =>
    method !== 'get' && (isBelow || named.includes(operation.operationId))
      ? [[method, { ...operation, 'x-every-role': true }] as const]
      : [],
  )
  return { ...item, ...Object.fromEntries(operations) }
}

/** Adds to each operation of a path the common responses and headers of the root file, and its scopes as security. */
function withCommonParts(item: PathItem, root: Root, area: Area): PathItem {
  const { 'x-common-responses': responses, 'x-common-headers': headers } = root
  const tags = area.tags?.slice(0, 1).map((tag) => tag.name) ?? []
  const operations = operationsIn(item).map(([method, operation]) => {
    const own = Object.entries(operation.responses).map(([status, response]) => {
      const isSuccess = status.startsWith('2') && !('$ref' in response)
      return [status, isSuccess ? { ...response, headers: { ...response.headers, ...headers } } : response]
    })
    const scopes = operation['x-api-key-scopes']
    const security = operation.security ?? root.security?.map((scheme) => withScopes(scheme, scopes))
    const description = [operation.description?.trim(), needsOf(operation)].filter(Boolean).join('\n\n')
    return [
      method,
      { tags, ...operation, description, security, responses: { ...responses, ...Object.fromEntries(own) } },
    ]
  })
  return { ...item, ...Object.fromEntries(operations) }
}

/** Only OAuth 2.0 has scopes in OpenAPI; `*` is no scope that an app can be granted. */
const withScopes = (scheme: Readonly<Record<string, readonly string[]>>, scopes: readonly string[]) =>
  Object.fromEntries(
    Object.keys(scheme).map((name) => [name, name === 'oauth2' ? scopes.filter((scope) => scope !== '*') : []]),
  )

const lastSegment = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const tagOf = (segment: string): string => segment.charAt(0).toUpperCase() + segment.slice(1)

/**
 * Copies every path below `original` to `alias`. The operation id of a copy ends with the last segment of the alias. An alias may be outside of
 * /v1, but not if API keys must not call the original: the paths that are closed to them begin with /v1.
 */
function addAlias(paths: Record<string, PathItem>, alias: string, original: string): void {
  if (isBlockedPath(alias) !== isBlockedPath(original))
    throw new Error(`${alias} must not be an alias of ${original}: API keys may call only one of them.`)
  const suffix = lastSegment(alias)
  for (const [path, item] of Object.entries(paths)) {
    if (path !== original && !path.startsWith(`${original}/`)) continue
    const copies = operationsIn(item).map(([method, operation]) => [
      method,
      {
        ...operation,
        operationId: `${operation.operationId}_${suffix}`,
        tags: [tagOf(suffix)],
        'x-alias-of': operation.operationId,
      },
    ])
    const copy = alias + path.slice(original.length)
    refuseDuplicate(paths, copy)
    paths[copy] = { ...item, ...Object.fromEntries(copies) }
  }
}
