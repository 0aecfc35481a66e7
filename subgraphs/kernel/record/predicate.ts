import type { Caller } from '../context.ts'
import type { RequestContext } from '../request.ts'
import type { AnsweredRecords } from './answered-records.ts'
import { literalOf } from '../database/literal.ts'
import { requireEntitlement } from '../require.ts'
import { columnKinds, type ColumnKind } from './column-kind.ts'
import { sqlLiteral } from './custom-field-column.ts'
import { columnOf, hasColumn, type RecordShape, type RelatedVisibility } from './definition.ts'
import { requireWholeParts } from './field-security.ts'
import { readSource } from './read-source.ts'

/** The parameters of a statement; `add` returns the placeholder of the new parameter. */
export class Values {
  readonly list: unknown[] = []

  /** A copy for a statement with more parameters; placeholders of the original are valid in it. */
  copy(): Values {
    const copy = new Values()
    copy.list.push(...this.list)
    return copy
  }

  add(value: unknown): string {
    this.list.push(value)
    return `$${this.list.length}`
  }

  /** Adds a value for a comparison, with the cast that its kind needs. */
  addOf(kind: ColumnKind, value: unknown): string {
    return this.add(value) + columnKinds[kind].operandCast
  }
}

/** The values of a statement that takes no parameters, such as COPY: `add` returns a literal. */
export class LiteralValues extends Values {
  override copy(): Values {
    return this
  }

  override add(value: unknown): string {
    return literalOf(value)
  }
}

/** The conditions in every read and write of a caller: tenant and visibility. No other code adds them to SQL. */
export class TenantPredicate {
  #organization: string | null = null
  #user: string | null = null
  #owners: string | null = null
  #aliases = 0

  constructor(
    readonly caller: Caller,
    readonly values: Values = new Values(),
    /** Learns of what the statement computes, so that a stored answer is not replayed to somebody who sees less; null where records are told one by one. */
    private readonly answered: AnsweredRecords | null = null,
  ) {}

  organization(): string {
    return (this.#organization ??= this.values.add(this.caller.organizationId))
  }

  /** The comparison of a column with the users whose records the caller sees. One user is a range of an index on the column. */
  #isOwner(column: string): string {
    const ids = this.caller.ownerIds!
    this.#owners ??= this.values.add(ids.length === 1 ? ids[0] : ids)
    return ids.length === 1 ? `${column} = ${this.#owners}` : `${column} = any(${this.#owners})`
  }

  /**
   * What decides which rows of the organization the caller sees: nothing, a range of an index in the order of creation, whether they are shared or the
   * caller's own, or other conditions.
   */
  visibility({
    visibleThrough,
    visibleThroughRelated,
    masters,
    visibleBy,
    privateUnless,
  }: RecordShape): 'ALL' | 'RANGE' | 'SHARED_AND_OWN' | 'CONDITIONS' {
    const { ownerIds, kind } = this.caller
    const isOfAllOwners = !ownerIds || visibleBy.length === 0
    if (visibleThrough || visibleThroughRelated || masters) return 'CONDITIONS'
    if (privateUnless) return isOfAllOwners && kind !== 'SYSTEM' ? 'SHARED_AND_OWN' : 'CONDITIONS'
    if (isOfAllOwners) return 'ALL'
    return ownerIds.length === 1 && visibleBy.length === 1 ? 'RANGE' : 'CONDITIONS'
  }

  /** The rows of the record type that the caller's organization has. The name is no parameter, because some statements read other rows only. */
  #rows({ object, objectColumn, objectKey = object, columns }: RecordShape, alias: string): string[] {
    const parts = [`${alias}.organization_id = ${this.organization()}`]
    if (!objectColumn) return parts
    return [...parts, `${columns.byName.get(objectColumn)!.sql(alias)} = ${sqlLiteral(objectKey)}`]
  }

  /** The condition for all rows of the record type in the organization, deleted ones included, whoever sees them. */
  all(definition: RecordShape, alias: string): string {
    return this.#rows(definition, alias).join(' and ')
  }

  alias(): string {
    return `t${++this.#aliases}`
  }

  /** The condition for rows of the caller's organization that the caller can see, including deleted rows. */
  visible(definition: RecordShape, alias: string): string {
    this.answered?.aggregate(definition)
    if (definition.entitlement) requireEntitlement(this, definition.entitlement)
    if (definition.partsOf) requireWholeParts(this.caller, definition)
    const parts = this.#rows(definition, alias)
    if (definition.masters) {
      // Of the table, because the platform, which may read all tenants, sees no rows in the view of one.
      for (const { by, to } of definition.masters) {
        const master = to()
        parts.push(this.#isParentVisible(master, columnOf(definition, by).sql(alias), master.table))
      }
    } else if (definition.visibleThrough) {
      const { by, to } = definition.visibleThrough
      parts.push(this.#isParentVisible(to(), columnOf(definition, by).sql(alias)))
    } else if (definition.visibleThroughRelated && this.caller.kind !== 'SYSTEM') {
      parts.push(this.#isRelatedVisible(definition, definition.visibleThroughRelated, alias))
    } else if (this.caller.ownerIds && definition.visibleBy.length > 0) {
      const owners = definition.visibleBy.map((name) => this.#isOwner(columnOf(definition, name).sql(alias)))
      parts.push(owners.length === 1 ? owners[0]! : `(${owners.join(' or ')})`)
    }
    return [...parts, ...this.#shared(definition, alias)].join(' and ')
  }

  #isParentVisible(shape: RecordShape, id: string, source = readSource(shape)): string {
    const parent = this.alias()
    return `exists (select 1 from ${source} ${parent} where ${this.live(shape, parent)} and ${parent}.id = ${id})`
  }

  #isRelatedVisible(definition: RecordShape, { type, id, to }: RelatedVisibility, alias: string): string {
    const [typeSql, idSql] = [type, id].map((name) => columnOf(definition, name).sql(alias)) as [string, string]
    const shapes = Object.entries(to).map(([value, shape]) => [value, shape()] as const)
    const isOwned = ([, shape]: readonly [string, RecordShape]): boolean =>
      shape.objectColumn !== undefined && shape.visibleBy.length > 0
    const related = shapes
      .filter((one) => !isOwned(one))
      .map(([value, shape]) => `${typeSql} = '${value}' and ${this.#isParentVisible(shape, idSql)}`)
    const owned = shapes.filter(isOwned)
    if (owned.length > 0) related.push(this.#isOneVisible(owned, typeSql, idSql))
    return `(${[`${typeSql} is null and ${this.own(alias)}`, ...related].join(' or ')})`
  }

  /** The records of custom objects are rows of one table. Where their owners decide who sees them, one condition is for all objects. */
  #isOneVisible(objects: readonly (readonly [string, RecordShape])[], type: string, id: string): string {
    const { objectColumn, ...rows } = objects[0]![1]
    const parent = this.alias()
    const object = rows.columns.byName.get(objectColumn!)!.sql(parent)
    const keys = objects.map(
      ([value, shape]) => `(${sqlLiteral(value)}, ${sqlLiteral(shape.objectKey ?? shape.object)})`,
    )
    return `exists (select 1 from ${readSource(rows)} ${parent} where ${this.live(rows, parent)} and ${parent}.id = ${id}
      and (${type}, ${object}) in (${keys.join(', ')}))`
  }

  /** The records of a private type that the caller owns, and those that are shared. */
  #shared(definition: RecordShape, alias: string): string[] {
    if (!definition.privateUnless || this.caller.kind === 'SYSTEM') return []
    const isShared = columnOf(definition, definition.privateUnless).sql(alias)
    return [`(${isShared} or ${this.own(alias)})`]
  }

  /** The records that the caller owns. */
  own(alias: string): string {
    this.#user ??= this.values.add(this.caller.userId)
    return `${alias}.owner_id = ${this.#user}`
  }

  /** The condition for rows of these kinds in the totals of the caller's organization (`maintained-totals.ts`), of the records that the caller sees. */
  totals(definition: RecordShape, alias: string, kinds: readonly string[]): string {
    this.answered?.aggregate(definition)
    if (definition.entitlement) requireEntitlement(this, definition.entitlement)
    if (definition.partsOf) requireWholeParts(this.caller, definition)
    const kind = kinds.map((name) => `'${name}'`).join(', ')
    return [...this.#rows(definition, alias), `${alias}.kind in (${kind})`, ...this.#shared(definition, alias)].join(
      ' and ',
    )
  }

  /** The condition for all rows of the organization that are not deleted, also for those that the caller cannot see. Every index has them in one range. */
  tenant(definition: RecordShape, alias: string): string {
    const parts = this.#rows(definition, alias)
    if (hasColumn(definition, 'deletedAt')) parts.push(`${alias}.deleted_at is null`)
    return parts.join(' and ')
  }

  /** Like `visible`, without deleted rows. */
  live(definition: RecordShape, alias: string): string {
    const visible = this.visible(definition, alias)
    return hasColumn(definition, 'deletedAt') ? `${visible} and ${alias}.deleted_at is null` : visible
  }
}

/**
 * The conditions of a statement that computes something of records: figures, boards, timelines, scores. The answer is known to depend on the records that
 * the caller sees, so a stored answer is not replayed to somebody who sees less. Only the kernel, and the readers of single records that
 * `test/contract/computed-reads.test.ts` lists, build the conditions without it.
 */
export const computedOver = (
  { caller, answered }: Pick<RequestContext, 'caller' | 'answered'>,
  values = new Values(),
) => new TenantPredicate(caller, values, answered)
