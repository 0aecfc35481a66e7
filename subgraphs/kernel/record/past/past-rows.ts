import { loggedEvents } from '../../outbox/logged-events.ts'
import type { Column } from '../column.ts'
import { columnKinds } from '../column-kind.ts'
import type { RecordShape } from '../definition.ts'
import type { TenantPredicate } from '../predicate.ts'

const databaseTypeOf = ({ kind }: Column): string => columnKinds[kind].databaseType

/** Values that change without an event are not known of the past. */
const isKnown = ({ isUnversioned = false }: Column): boolean => !isUnversioned

const typesOf = ({ events }: RecordShape, operation: string): string[] =>
  Object.entries(events?.types ?? {}).flatMap(([type, declared]) => (declared.operation === operation ? [type] : []))

/**
 * The SQL of the states of the records of a type at a time. A record that has no event since then is as its row; of another one, the first event after the
 * time has what it was before. Events and rows are read by one statement, so in one snapshot. Which records the caller sees is decided by their rows of now.
 */
export class PastRows {
  readonly #organization: string
  readonly #time: string
  readonly #object: string
  /** Types of events of deletions; a statement must name each of its values. */
  #deletions: string | null = null

  constructor(
    private readonly predicate: TenantPredicate,
    private readonly shape: RecordShape,
    time: string,
  ) {
    this.#organization = predicate.organization()
    this.#time = `${predicate.values.add(time)}::timestamptz`
    this.#object = predicate.values.add(shape.object)
  }

  /** The first event after the time of each record that has one; `id` is the placeholder of the only record, `limit` the most records. */
  firstEvents({ id, limit }: { readonly id?: string; readonly limit?: number } = {}): string {
    const where = `organization_id = ${this.#organization} and object = ${this.#object} and occurred_at > ${this.#time}${id ? ` and record_id = ${id}::uuid` : ''}`
    return `select distinct on (l.record_id) l.* from (
        ${loggedEvents('record_id, event_id, occurred_at', where)}
      ) l order by l.record_id, l.position${limit === undefined ? '' : ` limit ${limit}`}`
  }

  /** The rows of the records without an event after the time; `changed` names a query with the ids of the others. */
  unchanged(source: string, changed: string): string {
    const { predicate, shape } = this
    const columns = shape.columns.stored.map((column) =>
      isKnown(column)
        ? `c.${column.column}`
        : `${column.nullable ? `null::${databaseTypeOf(column)}` : `c.${column.column}`} as ${column.column}`,
    )
    return `select ${columns.join(', ')} from ${source} c where ${predicate.visible(shape, 'c')}
        and c.created_at <= ${this.#time} and c.id not in (select record_id from ${changed})`
  }

  /**
   * What the other records were; `changed` names a query with their first events after the time. `isNeeded` leaves out columns, because values from an
   * event cost more than those of a row.
   */
  changed(source: string, changed: string, isNeeded: (column: Column) => boolean = () => true): string {
    const { predicate, shape } = this
    const deletions = (this.#deletions ??= predicate.values.add(typesOf(shape, 'DELETE')))
    const shown = shape.columns.shown.filter((column) => isKnown(column) && isNeeded(column))
    const columns = shape.columns.stored.filter(isNeeded).map((column) => {
      const { name, column: own, internal, nullable } = column
      if (name === 'id' || name === 'organizationId' || internal) return `c.${own}`
      if (!isKnown(column)) return `${nullable ? `null::${databaseTypeOf(column)}` : `c.${own}`} as ${own}`
      // A column that the table did not have at that time is not in the event.
      return `${nullable ? `p."${name}"` : `coalesce(p."${name}", c.${own})`} as ${own}`
    })
    const typed = shown.map((column) => `"${column.name}" ${databaseTypeOf(column)}`).join(', ')
    return `select ${columns.join(', ')} from ${changed} h
        cross join lateral (
          select type, data -> 'record' as record, data -> 'previous' as previous from kernel.event
          where organization_id = ${this.#organization} and id = h.event_id and occurred_at = h.occurred_at offset 0
        ) e
        join ${source} c on c.id = h.record_id and ${predicate.visible(shape, 'c')}
        cross join lateral (
          select case when e.type = any(${deletions}) then ${this.#beforeDeletion()} else e.record || e.previous end as record
        ) s
        cross join lateral jsonb_to_record(s.record) as p(${typed})
        where e.type = any(${deletions}) or jsonb_typeof(e.previous) = 'object'`
  }

  /** The event of a deletion has no previous record: it is that of the event before, or the deleted one without the deletion. */
  #beforeDeletion(): string {
    const version = `(e.record ->> 'version')::int - 1`
    return `coalesce(
            (select b.record from (
               select d.data -> 'record' as record from kernel.event_log bl cross join lateral (
                 select data from kernel.event
                 where organization_id = bl.organization_id and id = bl.event_id and occurred_at = bl.occurred_at offset 0
               ) d
               where bl.organization_id = ${this.#organization} and bl.record_id = h.record_id and bl.position < h.position
               order by bl.position desc limit 1
             ) b where (b.record ->> 'version')::int = ${version}),
            e.record || jsonb_build_object('deletedAt', null, 'version', ${version}))`
  }
}
