import { Refusal, type FieldProblem } from '../errors.ts'
import { hasRole } from '../require.ts'
import type { RequestContext } from '../request.ts'
import type { RecordShape } from './definition.ts'

type Fields = Readonly<Record<string, unknown>>

const given = ({ columns }: RecordShape, values: Fields): string[] =>
  columns.imported.flatMap(({ name }) => (values[name] === undefined ? [] : [name]))

/** Refuses callers other than owners and admins who set what only an import may set, such as `createdAt`. */
export function refuseImportedFields(ctx: RequestContext, definition: RecordShape, values: Fields): void {
  const names = given(definition, values)
  if (names.length === 0 || hasRole(ctx, ['OWNER', 'ADMIN'])) return
  const message = `Only owners and admins may set ${names.join(', ')}.`
  throw new Refusal('FIELD_NOT_WRITABLE', message, {
    errors: names.map((path) => ({
      path,
      code: 'FIELD_NOT_WRITABLE',
      message: `Only owners and admins may set ${path}.`,
    })),
    requiredRoles: ['OWNER', 'ADMIN'],
  })
}

/** The problems of what an import sets in a new record: times that are in the future. */
export function importedProblems(ctx: RequestContext, definition: RecordShape, values: Fields): FieldProblem[] {
  const names = given(definition, values)
  if (names.length === 0) return []
  const now = ctx.clock.now().toISOString()
  return names
    .filter((name) => String(values[name]) > now)
    .map((path) => ({ path, code: 'IN_FUTURE', message: `${path} must not be in the future.` }))
}
