import { joinedLimits } from '../subgraphs/kernel/operation-limits.ts'
import { scopesToGrant } from '../subgraphs/kernel/scope-areas.ts'
import { sunsetOf } from './deprecation.ts'
import { addExamples } from './examples.ts'
import { readMerged } from './merge.ts'
import { operationsIn } from './operations-in.ts'
import {
  resolve,
  type OpenApiDocument,
  type OperationObject,
  type Parameter,
  type ResponseObject,
  type Schema,
} from './openapi.ts'
import { readOnlyOf } from './read-only.ts'
import type { RestOperation, Success } from './rest-operation.ts'
import { shapingOf } from './shape/shaping.ts'

export interface Contract {
  /** `info.version`. Every response under /v1 has it as the header API-Version. */
  readonly version: string
  readonly document: OpenApiDocument
  readonly operations: readonly RestOperation[]
  /** Names of all stored documents. */
  readonly documentIds: readonly string[]
}

/** Reads `schema/rest`: the root file, every area, and the stored documents. */
export function loadContract(folder: string): Contract {
  const { document: merged, documents, fragments, outcomes } = readMerged(folder)
  const document = addExamples(merged, outcomes)
  const operations = operationsOf(document, documents, fragments)
  return { version: document.info.version, document, operations, documentIds: [...documents.keys()] }
}

function operationsOf(
  document: OpenApiDocument,
  documents: ReadonlyMap<string, string>,
  fragments: ReadonlyMap<string, string>,
): RestOperation[] {
  const ids = new Set<string>()
  return Object.entries(document.paths).flatMap(([path, item]) =>
    operationsIn(item).map(([method, operation]) => {
      const { operationId: id } = operation
      if (ids.has(id)) throw new Error(`operationId must be unique: there are two operations called ${id}.`)
      ids.add(id)
      const documentId = operation['x-alias-of'] ?? id
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) =>
        withSchema(document, resolve<Parameter>(document, parameter)),
      )
      const body = operation.requestBody
      const json = body?.content['application/json']
      return {
        id,
        documentId,
        method,
        path,
        scopes: scopesToGrant(operation['x-api-key-scopes']),
        isPublic: operation.security?.length === 0,
        parameters,
        ignoresUnknownParameters: operation['x-ignores-unknown-parameters'] ?? false,
        keyParameter: parameters.find((parameter) => parameter['x-credential'])?.name ?? null,
        body: json ? { required: body!.required ?? false, schema: resolve<Schema>(document, json.schema) } : null,
        takesFile: body !== undefined && !json,
        isForEveryCredential: operation['x-every-credential'] ?? false,
        readOnly: readOnlyOf(document, item, method),
        success: successOf(document, operation),
        shaping: shapingOf(document, parameters, fragments),
        acceptsIdempotencyKey: parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key'),
        limits: joinedLimits([operation['x-limits'] ?? {}]),
        sunset: operation.deprecated ? sunsetOf(operation) : null,
        sessionCookies: operation['x-session-cookies'] ?? null,
        document: documents.get(documentId) ?? null,
      }
    }),
  )
}

const withSchema = (document: OpenApiDocument, parameter: Parameter): Parameter =>
  parameter.schema ? { ...parameter, schema: resolve<Schema>(document, parameter.schema) } : parameter

/** Media types of bodies that are files; the stored document returns a `DocumentFile`. */
const fileTypes: ReadonlySet<string> = new Set(['application/pdf'])

function successOf(document: OpenApiDocument, operation: OperationObject): Success {
  const successes = Object.entries(operation.responses)
    .filter(([code]) => code.startsWith('2'))
    .map(([code, found]) => ({ status: Number(code), response: resolve<ResponseObject>(document, found) }))
  const conditional = successes.find(({ response }) => response['x-if'] !== undefined)
  const other = successes.find((success) => success !== conditional)
  const first = conditional ?? other
  if (!first) throw new Error(`${operation.operationId} must describe a success response.`)
  const { status, response } = first
  return {
    status,
    otherwise: conditional && other ? { status: other.status, property: conditional.response['x-if']! } : null,
    property: response['x-body'] ?? null,
    headers: new Set(Object.keys(response.headers ?? {})),
    hasBody: response.content !== undefined,
    isConditional: '304' in operation.responses,
    unversioned: unversionedIn(document, response),
    fileType: Object.keys(response.content ?? {}).find((type) => fileTypes.has(type)) ?? null,
    isStream: response.content?.['text/event-stream'] !== undefined,
  }
}

function unversionedIn(document: OpenApiDocument, { content }: ResponseObject): string[] {
  const given = content?.['application/json']?.schema
  if (!given) return []
  const { properties = {} } = resolve<Schema>(document, given)
  return Object.keys(properties).filter((name) => properties[name]!['x-unversioned'] === true)
}
