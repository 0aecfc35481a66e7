import type { ErrorObject } from 'ajv'
import type { FieldProblem } from '../kernel/errors.ts'
import { problemAt } from './workflow/steps/step-type.ts'

/** What a JSON Schema refuses, as the problem of a field: the path below `path`, and a code as other fields have it. */
export function schemaProblem({ keyword, instancePath, params, message }: ErrorObject, path: string): FieldProblem {
  const at = `${path}${instancePath.replaceAll('/', '.')}`
  const { additionalProperty, missingProperty } = params as Readonly<Record<string, string | undefined>>
  if (additionalProperty !== undefined)
    return problemAt(`${at}.${additionalProperty.slice(0, 64)}`, 'UNKNOWN_FIELD', 'is no setting here')
  if (missingProperty !== undefined) return problemAt(`${at}.${missingProperty}`, 'REQUIRED', 'is required')
  const code = keyword === 'type' || keyword === 'anyOf' ? 'WRONG_TYPE' : 'WRONG_VALUE'
  return problemAt(at, code, message ?? 'has a wrong value')
}
