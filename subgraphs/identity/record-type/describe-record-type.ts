import type { Column } from '../../kernel/record/column.ts'
import { columnKinds } from '../../kernel/record/column-kind.ts'
import { activeMembers, customFieldsName } from '../../kernel/record/custom-field-column.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { hiddenParts, isHidden, mayWrite } from '../../kernel/record/field-security.ts'
import { isImportable, isRequired, writableColumns } from '../../kernel/record/inputs.ts'
import { sortableColumns } from '../../kernel/record/order-input.ts'
import { recordTypeIn, recordTypeNamesIn } from '../../kernel/record/custom-object.ts'
import { recordTypeOfIds } from '../../kernel/record/record-of-id.ts'
import { recordNamed, recordTypeNames } from '../../kernel/record/record-registry.ts'
import { knownReadScope } from '../../kernel/record/requires-scope.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import type { RestOperationInfo } from '../../kernel/rest-port/rest-port.ts'
import { notFound } from '../../kernel/errors.ts'
import { hasRole } from '../../kernel/require.ts'
import { meets } from '../../kernel/scopes.ts'
import type { IdentityContext } from '../context.ts'
import type {
  FieldDescription,
  FieldKind,
  OperationDescription,
  OperationRule,
  RecordTypeDescription,
  RecordTypeSummary,
} from './record-type.types.ts'

/** Every record type with what the caller may do, by name. */
export async function recordTypes(ctx: IdentityContext): Promise<RecordTypeSummary[]> {
  const all = await ctx.rest.operations()
  return recordTypeNamesIn(ctx).map((object) => {
    const shape = recordTypeIn(ctx, object)!
    return summaryOf(ctx, shape, operationsOn(ctx, shape, all))
  })
}

export async function describeRecordType(ctx: IdentityContext, object: string): Promise<RecordTypeDescription> {
  const shape = recordTypeIn(ctx, object)
  if (!shape) throw notFound('The record type')
  const operations = operationsOn(ctx, shape, await ctx.rest.operations())
  const summary = summaryOf(ctx, shape, operations)
  return { ...summary, fields: fieldsOf(ctx, shapeFor(ctx, shape), summary), operations }
}

const typeOf = ({ entity }: RecordShape): string => (entity as { name: string }).name
const prefixOf = (shape: RecordShape): string => {
  const type = typeOf(shape)
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}`
}

/** Whether the name begins with this prefix as a word: `caseCreate` is of `case`, `casesX` is not. */
const beginsWith = (name: string, prefix: string): boolean =>
  name.startsWith(prefix) && !/^[a-z]/.test(name.slice(prefix.length))

/** By the prefix of their names. */
type OperationsByType = Map<string, readonly RestOperationInfo[]>

const byContract = new WeakMap<readonly RestOperationInfo[], OperationsByType>()

/**
 * The operations of a record type, which are the same for every caller: those whose names begin with that of the type and with no longer one, so that
 * `caseCommentCreate` is of case comments.
 */
function operationsOf(all: readonly RestOperationInfo[], prefix: string): readonly RestOperationInfo[] {
  let known = byContract.get(all)
  if (!known) byContract.set(all, (known = new Map()))
  let own = known.get(prefix)
  if (!own) {
    const longer = recordTypeNames()
      .map((object) => prefixOf(recordNamed(object)!))
      .filter((other) => other !== prefix && other.startsWith(prefix))
    own = all
      .filter(
        ({ id, isDeprecated }) =>
          !isDeprecated && beginsWith(id, prefix) && !longer.some((other) => beginsWith(id, other)),
      )
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    known.set(prefix, own)
  }
  return own
}

const operationsOn = (
  ctx: IdentityContext,
  shape: RecordShape,
  all: readonly RestOperationInfo[],
): OperationDescription[] =>
  operationsOf(all, prefixOf(shape)).map((info) => {
    const { id: name, summary, method, path, scopes, roles } = info
    const refusedBy = refusal(ctx, shape, info)
    return { name, summary, method, path, scopes, roles, isAllowed: refusedBy === null, refusedBy }
  })

const isEntitled = ({ caller }: IdentityContext, { entitlement }: RecordShape): boolean =>
  entitlement === undefined || caller.entitlements.includes(entitlement)

function refusal(
  ctx: IdentityContext,
  shape: RecordShape,
  {
    scopes,
    isForKeys,
    roles,
    isForReaders,
  }: Pick<RestOperationInfo, 'scopes' | 'isForKeys' | 'roles' | 'isForReaders'>,
): OperationRule | null {
  const { caller } = ctx
  if (!isForKeys && caller.kind !== 'SESSION') return 'CREDENTIAL'
  if (!meets(caller, [scopes])) return 'SCOPE'
  if (roles ? !roles.includes(caller.role) : !isForReaders && caller.role === 'READ_ONLY') return 'ROLE'
  if (!isEntitled(ctx, shape)) return 'ENTITLEMENT'
  return hiddenParts(caller, shape).length > 0 ? 'PROFILE' : null
}

function summaryOf(
  ctx: IdentityContext,
  shape: RecordShape,
  operations: readonly OperationDescription[],
): RecordTypeSummary {
  const prefix = prefixOf(shape)
  const may = (...verbs: readonly string[]): boolean =>
    operations.some(({ name, isAllowed }) => isAllowed && verbs.some((verb) => name === `${prefix}${verb}`))
  const scope = knownReadScope(shape.entity)
  return {
    object: shape.object,
    type: typeOf(shape),
    // Some record types have no operation of their own that reads them, such as the steps of a sequence.
    isReadable:
      scope === null
        ? may('', 'List')
        : meets(ctx.caller, [[scope]]) && isEntitled(ctx, shape) && hiddenParts(ctx.caller, shape).length === 0,
    isCreatable: may('Create'),
    isUpdatable: may('Update'),
    isDeletable: may('Delete'),
  }
}

function fieldsOf(ctx: IdentityContext, shape: RecordShape, may: RecordTypeSummary): FieldDescription[] {
  const { caller } = ctx
  const imports = isImportable(shape.entity) && hasRole(ctx, ['OWNER', 'ADMIN'])
  const creatable = new Set(writableColumns(shape.entity, imports ? 'IMPORT' : 'CREATE').map(({ name }) => name))
  const updatable = new Set(writableColumns(shape.entity, 'UPDATE').map(({ name }) => name))
  const sortable = new Set(sortableColumns(shape.entity).map(({ name }) => name))
  return [...shape.columns.shown, ...shape.columns.customFields.values()].map((column) => {
    const isWritable = mayWrite(caller, shape, column.name)
    const { name } = column
    // Custom fields are written and sorted by as long as their record type has them.
    const written = column.custom ? customFieldsName : name
    return {
      name: column.name,
      kind: kindOf(column),
      description: column.description ?? '',
      values: valuesOf(column),
      references: referenceOf(shape, column),
      isRequired: column.custom?.isRequired ?? (creatable.has(name) && isRequired(column)),
      isNullable: column.nullable,
      maxLength: column.max ?? null,
      minimum: column.minimum ?? null,
      maximum: column.maximum ?? null,
      decimals: column.decimals ?? null,
      isReadable: may.isReadable && !isHidden(caller, shape, column.name),
      isCreatable: may.isCreatable && isWritable && creatable.has(written),
      isUpdatable: may.isUpdatable && isWritable && updatable.has(written),
      isSortable: column.custom ? columnKinds[column.kind].isSortable : sortable.has(name),
    }
  })
}

const kindOf = ({ kind }: Column): keyof typeof FieldKind =>
  kind.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase() as keyof typeof FieldKind

function valuesOf(column: Column): string[] | null {
  const members = activeMembers(column)
  return members && [...members]
}

/** Ids of users have a field with the user. */
const referenceOf = (shape: RecordShape, { name, user, kind, lookup }: Column): string | null => {
  if (user) return 'user'
  if (lookup) return lookup.to
  return kind === 'id' || name.endsWith('Ids') ? recordTypeOfIds(shape, name) : null
}
