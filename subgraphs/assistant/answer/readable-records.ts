import { recordNamed } from '../../kernel/record/record-registry.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'

/** The record types that the assistant reads. */
export const readableObjects = [
  'account',
  'contact',
  'lead',
  'opportunity',
  'case',
  'task',
  'quote',
  'order',
  'invoice',
  'product',
] as const

export type ReadableObject = (typeof readableObjects)[number]

export const isReadable = (object: unknown): object is ReadableObject =>
  (readableObjects as readonly unknown[]).includes(object)

/** Fields of which the first with a value names a record for people. */
const labels: Readonly<Record<ReadableObject, readonly string[]>> = {
  account: ['name'],
  contact: ['lastName', 'firstName', 'email'],
  lead: ['lastName', 'company', 'email'],
  opportunity: ['name'],
  case: ['subject'],
  task: ['subject'],
  quote: ['name', 'quoteNumber'],
  order: ['name', 'orderNumber'],
  invoice: ['invoiceNumber'],
  product: ['name'],
}

export function shapeOf(object: ReadableObject): RecordShape {
  const shape = recordNamed(object)
  if (!shape) throw new Error(`The record type ${object} is not registered.`)
  return shape
}

/** The name of the GraphQL type, such as `Account`. */
export const graphType = (shape: RecordShape): string => (shape.entity as { name: string }).name

/** The name of the query that lists the records, such as `accountList`. */
export function listField(shape: RecordShape): string {
  const type = graphType(shape)
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}List`
}

const plainKinds: ReadonlySet<string> = new Set([
  'id',
  'text',
  'integer',
  'number',
  'money',
  'boolean',
  'timestamp',
  'date',
  'enum',
  'textList',
])

/** The fields whose values are plain, so that a query can select and filter them. */
export const plainColumns = ({ columns }: RecordShape) =>
  columns.shown.filter(({ kind, structure }) => !structure && plainKinds.has(kind))

/** The fields that name a record, of those that the type has. */
export function labelFields(object: ReadableObject): string[] {
  const names = new Set(plainColumns(shapeOf(object)).map(({ name }) => name))
  return labels[object].filter((name) => names.has(name))
}

/** The name of a record for people; null if no field names it. */
export function labelOf(object: ReadableObject, row: Readonly<Record<string, unknown>>): string | null {
  const named = labels[object].map((name) => row[name])
  const first = named.find((value): value is string => typeof value === 'string' && value !== '')
  if (first === undefined) return null
  const { firstName, lastName } = row
  return typeof firstName === 'string' && firstName !== '' && first === lastName ? `${firstName} ${first}` : first
}
