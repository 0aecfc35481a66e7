import { Kind, parse, type DocumentNode, type SelectionSetNode } from 'graphql'
import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import { shapedDocument } from '../../rest-adapter/shape/shaped-document.ts'
import { resolve, typesOf, type OpenApiDocument, type ResponseObject, type Schema } from '../../rest-adapter/openapi.ts'

/** The stored document of a read with every related record that it can add. */
const expanded = ({ document, shaping }: RestOperation): string =>
  shaping
    ? shapedDocument(document!, shaping, { only: null, expand: [...shaping.relations.keys()], lookups: [] }, [])
    : document!

/** Properties of the success response that the stored document does not select, as dotted paths. Only some reads add related records. */
export function unselected(document: OpenApiDocument, operation: RestOperation): string[] {
  const stored = parse(expanded(operation))
  const definition = stored.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)!
  const result = fieldsOf(stored, definition.selectionSet).get('result')
  const { property } = operation.success
  const body = property === null || !result ? result : fieldsOf(stored, result).get(property)
  return body === undefined ? ['result'] : missing(document, stored, answerOf(document, operation), body, '')
}

function answerOf(document: OpenApiDocument, { method, path, success }: RestOperation): Schema {
  const found = document.paths[path]![method]!.responses[success.status]!
  return resolve<ResponseObject>(document, found).content!['application/json']!.schema!
}

/** The schema of an object that can be null. */
function orNull(schema: Schema, document: OpenApiDocument): Schema {
  const [only, ...others] = (schema.anyOf ?? []).filter((one) => one.type !== 'null')
  return only && others.length === 0 ? resolve<Schema>(document, only) : schema
}

function missing(
  document: OpenApiDocument,
  stored: DocumentNode,
  schema: Schema,
  selection: SelectionSetNode | null,
  path: string,
): string[] {
  const shape = orNull(resolve<Schema>(document, schema), document)
  if (typesOf(shape).includes('array')) return missing(document, stored, shape.items ?? {}, selection, path)
  // A leaf of the graph is JSON; the graph does not describe its content.
  if (selection === null) return []
  const fields = fieldsOf(stored, selection)
  return Object.entries(shape.properties ?? {}).flatMap(([name, property]) => {
    const field = fields.get(name)
    // A related record has no related records of its own.
    if (field === undefined && property['x-expandable'] === true) return []
    return field === undefined ? [path + name] : missing(document, stored, property, field, `${path}${name}.`)
  })
}

function fieldsOf(stored: DocumentNode, set: SelectionSetNode): Map<string, SelectionSetNode | null> {
  const fields = new Map<string, SelectionSetNode | null>()
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      fields.set((selection.alias ?? selection.name).value, selection.selectionSet ?? null)
      continue
    }
    const inner =
      selection.kind === Kind.INLINE_FRAGMENT ? selection.selectionSet : fragmentOf(stored, selection.name.value)
    for (const [name, below] of fieldsOf(stored, inner)) fields.set(name, below)
  }
  return fields
}

function fragmentOf(stored: DocumentNode, name: string): SelectionSetNode {
  const fragments = stored.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
  const fragment = fragments.find((node) => node.name.value === name)
  if (!fragment) throw new Error(`The fragment ${name} must be defined in the stored documents of its area.`)
  return fragment.selectionSet
}
