import type { Caller } from '../context.ts'
import { requireEntitlement } from '../require.ts'
import { columnKinds, type ColumnKind } from './column-kind.ts'
import { columnOf, hasColumn, type RecordShape } from './definition.ts'

/** The parameters of a statement; `add` returns the placeholder of the new parameter. */
export class Values {
  readonly list: unknown[] = []

  add(value: unknown): string {
    this.list.push(value)
    return `$${this.list.length}`
  }

  /** Adds a value for a comparison, with the cast that its kind needs. */
  addOf(kind: ColumnKind, value: unknown): string {
    return this.add(value) + columnKinds[kind].operandCast
  }
}

/** The conditions in every read and write of a caller: tenant and visibility. No other code adds them to SQL. */
export class TenantPredicate {
  #organization: string | null = null
  #owners: string | null = null
  #aliases = 0

  constructor(
    readonly caller: Caller,
    readonly values: Values = new Values(),
  ) {}

  organization(): string {
    return (this.#organization ??= this.values.add(this.caller.organizationId))
  }

  #ownerIds(): string {
    return (this.#owners ??= this.values.add(this.caller.ownerIds))
  }

  alias(): string {
    return `t${++this.#aliases}`
  }

  /** The condition for rows of the caller's organization that the caller can see, including deleted rows. */
  visible(definition: RecordShape, alias: string): string {
    if (definition.entitlement) requireEntitlement(this, definition.entitlement)
    const parts = [`${alias}.organization_id = ${this.organization()}`]
    if (definition.objectColumn)
      parts.push(`${columnOf(definition, definition.objectColumn).sql(alias)} = ${this.values.add(definition.object)}`)
    if (definition.visibleThrough) {
      const { by, to } = definition.visibleThrough
      const parent = this.alias()
      parts.push(
        `exists (select 1 from ${to().table} ${parent} where ${this.live(to(), parent)} and ${parent}.id = ${columnOf(definition, by).sql(alias)})`,
      )
    } else if (this.caller.ownerIds && definition.visibleBy.length > 0) {
      const owners = definition.visibleBy.map(
        (name) => `${columnOf(definition, name).sql(alias)} = any(${this.#ownerIds()})`,
      )
      parts.push(owners.length === 1 ? owners[0]! : `(${owners.join(' or ')})`)
    }
    return parts.join(' and ')
  }

  /** The condition for rows of these kinds in the totals of the caller's organization (`maintained-totals.ts`). */
  totals(definition: RecordShape, alias: string, kinds: readonly string[]): string {
    if (definition.entitlement) requireEntitlement(this, definition.entitlement)
    const kind = kinds.map((name) => `'${name}'`).join(', ')
    return `${alias}.organization_id = ${this.organization()} and ${alias}.kind in (${kind})`
  }

  /** Like `visible`, without deleted rows. */
  live(definition: RecordShape, alias: string): string {
    const visible = this.visible(definition, alias)
    return hasColumn(definition, 'deletedAt') ? `${visible} and ${alias}.deleted_at is null` : visible
  }
}
