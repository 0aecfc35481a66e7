import type { FieldProblem } from '../../kernel/errors.ts'
import { customObjectName } from '../../kernel/record/custom-object.ts'
import { isExtendedType, type ExtendedType } from '../extended-type.ts'

/** The record types of the platform that have layouts; besides them custom objects. */
const builtIn = ['LEAD', 'CONTACT', 'ACCOUNT', 'OPPORTUNITY']

export const layoutTypeNames = `${builtIn.join(', ')}, or \`custom:\` and the name of a custom object, such as \`custom:site_visit\``

/** How files name such a type. */
export const layoutTypePattern = `^(?:${builtIn.join('|')}|custom:[a-z][a-z0-9_]{0,62})$`

export const isLayoutType = (type: string): type is ExtendedType =>
  isExtendedType(type) && (builtIn.includes(type) || customObjectName(type) !== null)

export const layoutTypeProblem = (path: string): FieldProblem => ({
  path,
  code: 'NOT_ALLOWED',
  message: `${path} must be one of ${builtIn.join(', ')}, or custom: and the name of a custom object.`,
})
