import { columnOf, type RecordShape } from './definition.ts'
import { fromTotals, hasTotals, hasTotalsFor, isOverTotals, totalOf } from './maintained-totals.ts'
import type { TenantPredicate } from './predicate.ts'
import { readSource } from './read-source.ts'
import type { FalseFlag } from './seldom-true.ts'

/** A list as its totals need it. */
export interface Counted {
  readonly definition: RecordShape
  readonly predicate: TenantPredicate
  /** The first one is the visibility. */
  readonly conditions: readonly string[]
  /** SQL of the ids of records among which are all that match, from an index; null without one. */
  readonly candidates: string | null
  /** Whether exactly these match. */
  readonly isOfCandidates: boolean
  /** The columns that the conditions after the visibility read; null when they read anything else. */
  readonly filterColumns: Iterable<string> | null
  /** A condition whose total is the difference of two others. */
  readonly falseFlag: FalseFlag | null
  /** The type of the parents if the caller sees all records except those of deleted parents, of which there are few; otherwise null. */
  readonly liveParent: RecordShape | null
}

/** The `from` and `where` of aggregates. */
export interface Aggregated {
  readonly source: string
  readonly isTotals: boolean
}

const allOf = (conditions: readonly string[]): string => conditions.join(' and ')

/** The SQL of the number of records in a list, and of aggregates over them. It adds no parameters. */
export class ListTotals {
  constructor(private readonly list: Counted) {}

  /** The number from the maintained totals; null when they do not contain it. */
  maintained(): string | null {
    const { definition, predicate, conditions, filterColumns, falseFlag: flag, liveParent } = this.list
    if (filterColumns === null) return null
    const [visible, ...filter] = conditions
    if (liveParent) {
      if (!hasTotals(definition) || !isOverTotals(definition, filterColumns)) return null
      return `(${totalOf(definition, predicate, allOf(filter) || null)} - ${this.#ofDeletedParents(liveParent, filter)})`
    }
    if (!hasTotalsFor(predicate.caller, definition)) return null
    if (isOverTotals(definition, filterColumns)) return totalOf(definition, predicate, allOf(filter) || null)
    const unflagged = [...filterColumns].filter((name) => name !== flag?.name)
    if (!flag || !isOverTotals(definition, unflagged)) return null
    const others = filter.filter((condition) => condition !== flag.condition)
    const flagged = allOf([visible!, ...others, `not (${flag.condition})`])
    return `(${totalOf(definition, predicate, allOf(others) || null)} - (select count(*) from ${this.#source} t where ${flagged}))`
  }

  /** The number from the rows. Those of deleted parents are subtracted, because it takes long to look up the parent of each record. */
  counted(): string {
    const { definition, predicate, conditions, candidates, isOfCandidates, liveParent } = this.list
    if (isOfCandidates) return `(select count(*)::int8 from (${candidates!}) c)`
    const [visible, ...filter] = conditions
    const others = candidates === null ? filter : [...filter, `t.id = any(array(${candidates}))`]
    const countOf = (first: string): string =>
      `(select count(*)::int8 from ${this.#source} t where ${allOf([first, ...others])})`
    if (!liveParent) return countOf(visible!)
    return `${countOf(predicate.tenant(definition, 't'))} - ${this.#ofDeletedParents(liveParent, others)}`
  }

  /** Aggregates over the maintained totals if they have these columns and those of the filter, otherwise over the rows. */
  aggregated(columns: readonly string[]): Aggregated {
    const { definition, predicate, conditions, filterColumns } = this.list
    const read = filterColumns && [...filterColumns, ...columns]
    if (read && hasTotalsFor(predicate.caller, definition) && isOverTotals(definition, read)) {
      const [, ...filter] = conditions
      return { source: allOf([fromTotals(definition, predicate), ...filter]), isTotals: true }
    }
    return this.rows()
  }

  /** Aggregates over the rows. */
  rows(): Aggregated {
    return { source: `${this.#source} t where ${allOf(this.list.conditions)}`, isTotals: false }
  }

  /** The number of records with a deleted parent for which these conditions hold. */
  #ofDeletedParents(parent: RecordShape, conditions: readonly string[]): string {
    const { definition, predicate } = this.list
    const parentId = columnOf(definition, definition.visibleThrough!.by).sql('t')
    const where = [
      predicate.tenant(definition, 't'),
      `p.organization_id = ${predicate.organization()}`,
      'p.deleted_at is not null',
      ...conditions,
    ]
    return `(select count(*)::int8 from ${readSource(parent)} p join ${this.#source} t on p.id = ${parentId} where ${allOf(where)})`
  }

  get #source(): string {
    return readSource(this.list.definition)
  }
}
