import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseYaml } from 'yaml'
import { documentsOf } from './documents.ts'
import { sunsetOf, type Sunset } from './deprecation.ts'
import {
  methods,
  resolve,
  type Method,
  type OpenApiDocument,
  type OperationObject,
  type Parameter,
  type PathItem,
  type ResponseObject,
  type Schema,
} from './openapi.ts'

/** One REST operation: what the routes, the translation and the answers need to know of it. */
export interface RestOperation {
  readonly id: string
  /** The operation whose stored document this one runs: its own, unless it is another's second path. */
  readonly documentId: string
  readonly method: Method
  readonly path: string
  readonly scopes: readonly string[]
  /** Open to callers without a credential. */
  readonly isPublic: boolean
  readonly parameters: readonly Parameter[]
  readonly body: { readonly required: boolean; readonly schema: Schema } | null
  readonly success: { readonly status: number; readonly headers: ReadonlySet<string>; readonly hasBody: boolean }
  readonly acceptsIdempotencyKey: boolean
  readonly sunset: Sunset | null
  /** The stored GraphQL document with the fragments it uses; null when an exception serves the operation. */
  readonly document: string | null
}

export interface Contract {
  /** `info.version`, which every /v1 answer carries as API-Version. */
  readonly version: string
  readonly document: OpenApiDocument
  readonly operations: readonly RestOperation[]
  /** Names of all stored documents. */
  readonly documentIds: readonly string[]
}

interface Root extends Omit<OpenApiDocument, 'paths'> {
  readonly 'x-path-aliases'?: Readonly<Record<string, string>>
  readonly 'x-common-responses'?: Readonly<Record<string, ResponseObject>>
  readonly 'x-common-headers'?: Readonly<Record<string, unknown>>
}

type Area = Pick<OpenApiDocument, 'tags' | 'paths' | 'components'>

/** Reads `schema/rest`: the root, every area, and the stored documents. */
export function loadContract(folder: string): Contract {
  const {
    'x-path-aliases': aliases,
    'x-common-responses': responses,
    'x-common-headers': headers,
    ...root
  } = readYaml<Root>(join(folder, 'api.yaml'))
  const areas = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'openapi.yaml')))
    .map((entry) => entry.name)
    .sort()

  const paths: Record<string, PathItem> = {}
  const components: Record<string, Record<string, unknown>> = {}
  for (const [kind, named] of Object.entries(root.components)) components[kind] = { ...named }
  const tags = [...(root.tags ?? [])]
  const documents = new Map<string, string>()
  for (const name of areas) {
    const area = readYaml<Area>(join(folder, name, 'openapi.yaml'))
    tags.push(...(area.tags ?? []))
    for (const [path, item] of Object.entries(area.paths)) {
      refuseSecond(paths, path)
      paths[path] = completed(item, root, area, responses ?? {}, headers ?? {})
    }
    for (const [kind, named] of Object.entries(area.components ?? {})) {
      const all = (components[kind] ??= {})
      for (const [key, value] of Object.entries(named)) {
        refuseSecond(all, key)
        all[key] = value
      }
    }
    for (const [id, text] of documentsOf(join(folder, name))) {
      if (documents.has(id)) throw new Error(`Two stored documents are called ${id}.`)
      documents.set(id, text)
    }
  }
  for (const [alias, original] of Object.entries(aliases ?? {})) addAlias(paths, alias, original)

  const document: OpenApiDocument = { ...root, tags, paths, components }
  const operations = operationsOf(document, documents)
  return { version: root.info.version, document, operations, documentIds: [...documents.keys()] }
}

/** A reference to the root file means the same place of the merged document. */
const readYaml = <T>(file: string): T =>
  parseYaml(readFileSync(file, 'utf8').replaceAll('../api.yaml#/', '#/'), { merge: true }) as T

function refuseSecond(all: Readonly<Record<string, unknown>>, key: string): void {
  if (Object.hasOwn(all, key)) throw new Error(`${key} is described twice in schema/rest.`)
}

/** A path with what the root says once for all operations: common responses and headers, and the scopes as security. */
function completed(
  item: PathItem,
  root: Root,
  area: Area,
  responses: Readonly<Record<string, ResponseObject>>,
  headers: Readonly<Record<string, unknown>>,
): PathItem {
  const tags = area.tags?.slice(0, 1).map((tag) => tag.name) ?? []
  const operations = operationsIn(item).map(([method, operation]) => {
    const own = Object.entries(operation.responses).map(([status, response]) => {
      const isSuccess = status.startsWith('2') && !('$ref' in response)
      return [status, isSuccess ? { ...response, headers: { ...response.headers, ...headers } } : response]
    })
    const scopes = operation['x-api-key-scopes']
    const security = operation.security ?? root.security?.map((scheme) => withScopes(scheme, scopes))
    return [method, { tags, ...operation, security, responses: { ...Object.fromEntries(own), ...responses } }]
  })
  return { ...item, ...Object.fromEntries(operations) }
}

const withScopes = (scheme: Readonly<Record<string, readonly string[]>>, scopes: readonly string[]) =>
  Object.fromEntries(Object.keys(scheme).map((name) => [name, scopes]))

export const operationsIn = (item: PathItem): [Method, OperationObject][] =>
  methods.flatMap((method) => (item[method] ? [[method, item[method]] as [Method, OperationObject]] : []))

/** Serves every path below `original` below `alias` too; ids of the copies end in the alias's last segment. */
function addAlias(paths: Record<string, PathItem>, alias: string, original: string): void {
  const suffix = alias.slice(alias.lastIndexOf('/') + 1)
  for (const [path, item] of Object.entries(paths)) {
    if (path !== original && !path.startsWith(`${original}/`)) continue
    const copies = operationsIn(item).map(([method, operation]) => [
      method,
      { ...operation, operationId: `${operation.operationId}_${suffix}`, 'x-alias-of': operation.operationId },
    ])
    paths[alias + path.slice(original.length)] = { ...item, ...Object.fromEntries(copies) }
  }
}

function operationsOf(document: OpenApiDocument, documents: ReadonlyMap<string, string>): RestOperation[] {
  const ids = new Set<string>()
  return Object.entries(document.paths).flatMap(([path, item]) =>
    operationsIn(item).map(([method, operation]) => {
      const { operationId: id } = operation
      if (ids.has(id)) throw new Error(`Two operations are called ${id}.`)
      ids.add(id)
      const documentId = operation['x-alias-of'] ?? id
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) =>
        resolve<Parameter>(document, parameter),
      )
      const body = operation.requestBody
      return {
        id,
        documentId,
        method,
        path,
        scopes: operation['x-api-key-scopes'],
        isPublic: operation.security?.length === 0,
        parameters: parameters.map((parameter) => withSchema(document, parameter)),
        body: body
          ? {
              required: body.required ?? false,
              schema: resolve<Schema>(document, body.content['application/json']!.schema),
            }
          : null,
        success: successOf(document, operation),
        acceptsIdempotencyKey: parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key'),
        sunset: operation.deprecated ? sunsetOf(operation) : null,
        document: documents.get(documentId) ?? null,
      }
    }),
  )
}

const withSchema = (document: OpenApiDocument, parameter: Parameter): Parameter =>
  parameter.schema ? { ...parameter, schema: resolve<Schema>(document, parameter.schema) } : parameter

function successOf(document: OpenApiDocument, operation: OperationObject): RestOperation['success'] {
  const [status, found] = Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? []
  if (!status || !found) throw new Error(`${operation.operationId} describes no success.`)
  const response = resolve<ResponseObject>(document, found)
  return {
    status: Number(status),
    headers: new Set(Object.keys(response.headers ?? {})),
    hasBody: response.content !== undefined,
  }
}
