import { operationsIn } from './operations-in.ts'
import { resolve, typesOf, type OpenApiDocument, type ResponseObject, type Schema } from './openapi.ts'

const userId = '019a0c5e-7f00-7c1d-8f21-64d0a95be713'
const recordId = '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'
const organizationId = '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01'

/** The example of an id by the name of its property, so that ids in one example belong together. */
function idNamed(name: string): string {
  if (name === 'organizationId') return organizationId
  return /owner|user|actor|author|assign|By/.test(name) ? userId : recordId
}

function ofFormat({ format }: Schema, name: string): unknown {
  switch (format) {
    case 'uuid':
      return idNamed(name)
    case 'date-time':
      return '2026-11-02T08:15:00.000Z'
    case 'date':
      return '2026-11-02'
    default:
      return undefined
  }
}

/**
 * The example of a schema, composed of the examples of its properties; undefined if a part of it has none. A property is described
 * with its example once, so the examples of requests and responses cannot differ from each other.
 */
function exampleOf(document: OpenApiDocument, given: Schema, name: string): unknown {
  if ('example' in given) return given['example']
  const schema = resolve<Schema>(document, given)
  if ('example' in schema) return schema['example']
  if (schema['default'] !== undefined) return schema['default']
  if (schema['const'] !== undefined) return schema['const']
  if (schema.enum) return schema.enum[0]
  const [alternative] = schema.anyOf ?? (schema['oneOf'] as readonly Schema[] | undefined) ?? []
  if (alternative) return exampleOf(document, alternative, name)
  if (schema.properties) {
    // Related records are in an answer only if a request expands them.
    const own = Object.entries(schema.properties).filter(([, property]) => property['x-expandable'] !== true)
    const members = own.map(([key, property]) => [key, exampleOf(document, property, key)])
    return Object.fromEntries(members.filter(([, example]) => example !== undefined))
  }
  if (schema.items) {
    const item = exampleOf(document, schema.items, name)
    return item === undefined ? undefined : [item]
  }
  return ofFormat(schema, name) ?? (typesOf(schema).includes('null') ? null : undefined)
}

interface Media {
  readonly schema?: Schema
  readonly example?: unknown
}
type Content = Readonly<Record<string, Media>>

function withExamples(document: OpenApiDocument, content: Content): Content {
  const media = Object.entries(content).map(([type, described]): [string, Media] => {
    if ('example' in described || !described.schema) return [type, described]
    const example = exampleOf(document, described.schema, '')
    return [type, example === undefined ? described : { ...described, example }]
  })
  return Object.fromEntries(media)
}

/** What operations lead to, by operation id: the properties of the record that the example of the answer shows instead of those of its schema. */
export type Outcomes = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The response with the outcome of its operation in its example. */
function withOutcome(response: ResponseObject, outcome: Outcomes[string]): ResponseObject {
  const content = response.content as Content
  const json = content['application/json']!
  const changed: Content = {
    ...content,
    'application/json': { ...json, example: { ...(json.example as object), ...outcome } },
  }
  return { ...response, content: changed }
}

/** Adds an example to the body and the responses of every operation that does not describe one itself. */
export function addExamples(document: OpenApiDocument, outcomes: Outcomes = {}): OpenApiDocument {
  // Operations share parts through YAML anchors. They must still share them, because the validator resolves references in place.
  const known = new Map<object, object>()
  const completed = <T extends object>(part: T): T => {
    if (!('content' in part)) return part
    const found = known.get(part) ?? { ...part, content: withExamples(document, part.content as Content) }
    known.set(part, found)
    return found as T
  }
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = operationsIn(item).map(([method, operation]) => {
      const outcome = outcomes[operation['x-alias-of'] ?? operation.operationId]
      const responses = Object.entries(operation.responses).map(([status, given]) => {
        const response = completed(given)
        return [status, outcome && status.startsWith('2') ? withOutcome(response as ResponseObject, outcome) : response]
      })
      const { requestBody } = operation
      return [
        method,
        {
          ...operation,
          ...(requestBody && { requestBody: completed(requestBody) }),
          responses: Object.fromEntries(responses),
        },
      ]
    })
    return [path, { ...item, ...Object.fromEntries(operations) }]
  })
  return { ...document, paths: Object.fromEntries(paths) }
}
