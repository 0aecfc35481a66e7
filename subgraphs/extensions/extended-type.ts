import type { FieldProblem } from '../kernel/errors.ts'
import { withLatestExtensions } from '../kernel/extension/current-extensions.ts'
import { customObjectName, recordTypeIn } from '../kernel/record/custom-object.ts'
import type { RecordShape } from '../kernel/record/definition.ts'
import { recordType } from '../kernel/record/record-registry.ts'
import type { RestFilter } from '../kernel/record/rest-area.ts'
import { shapeFor } from '../kernel/record/shape-source.ts'
import type { RequestContext } from '../kernel/request.ts'

/** The record types of the platform whose writes an organization can extend. Besides them there are custom objects, `custom:site_visit`. */
export const builtInExtendedTypes = ['LEAD', 'CONTACT', 'ACCOUNT', 'OPPORTUNITY', 'TASK', 'CASE'] as const

/** A record type whose writes an organization can extend. */
export type ExtendedType = (typeof builtInExtendedTypes)[number] | `custom:${string}`

/** For descriptions of columns. */
export const extendedTypeNames = `${builtInExtendedTypes.join(', ')}, or \`custom:\` and the name of a custom object, such as \`custom:site_visit\``

/** A parameter of lists in REST: one or more of these types. */
export const typeFilter = <Name extends string>(name: Name): RestFilter<Name> => ({
  name,
  column: name,
  operator: 'in',
})

/** The longest name of a record type: `custom:` and that of an object. */
export const extendedTypeMax = 70

/** How files name such a type. */
export const extendedTypeRules = {
  pattern: `^(?:${builtInExtendedTypes.join('|')}|custom:[a-z][a-z0-9_]{0,62})$`,
} as const

const isBuiltIn = (type: string): boolean => (builtInExtendedTypes as readonly string[]).includes(type)

/** Whether it can be the name of a record type; a custom object may not exist. */
export const isExtendedType = (type: string): type is ExtendedType => isBuiltIn(type) || customObjectName(type) !== null

/** The name of a record type as an object: `account`, `custom:site_visit`. */
export const objectOfType = (type: ExtendedType): string => type.toLowerCase()

/** The record type of a shape. */
export const typeOfShape = ({ object }: Pick<RecordShape, 'object'>): string =>
  customObjectName(object) === null ? object.toUpperCase() : object

type Shapes = Pick<RequestContext, 'shapes'>

/** The shape of a record type with the custom fields of the organization; null for a custom object that it does not have. */
export function shapeOfType(ctx: Shapes, type: ExtendedType): RecordShape | null {
  if (customObjectName(type) !== null) return recordTypeIn(ctx, type)
  return shapeFor(ctx, recordType(objectOfType(type))())
}

/** As `shapeOfType`, also for an object that another process has created a moment ago. */
export async function latestShapeOfType(ctx: RequestContext, type: ExtendedType): Promise<RecordShape | null> {
  return shapeOfType(ctx, type) ?? shapeOfType(await withLatestExtensions(ctx), type)
}

export function extendedTypeProblems(path: string, type: string): FieldProblem[] {
  if (isExtendedType(type)) return []
  const message = `${path} must be one of ${builtInExtendedTypes.join(', ')}, or custom: and the name of a custom object.`
  return [{ path, code: 'NOT_ALLOWED', message }]
}

export const unknownObject = (path: string): FieldProblem => ({
  path,
  code: 'UNKNOWN_REFERENCE',
  message: `${path} must be custom: and the name of a custom object of the organization.`,
})
