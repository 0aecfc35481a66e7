/**
 * A record type whose records are entries of timelines. A resource registers its own in `timeline`. Its table has an index on
 * (organization, link, `at`, id) of the live rows.
 */
export interface TimelineSource {
  /** A value of the enumeration `TimelineKind`. */
  readonly kind: string
  readonly object: string
  /** The GraphQL type of the record. */
  readonly type: string
  /** The time of an entry: the first of these columns that has a value. Empty with `items`. */
  readonly at: readonly string[]
  readonly columns: { readonly title: string; readonly type: string | null; readonly status: string | null }
  /** The user who did it: the first of these columns that has a value. */
  readonly actor: readonly string[]
  /**
   * Each row of this table is an entry, with columns of its own instead. Triggers copy them, so that they are the same whatever changes the
   * records. The table has an index on (organization, link, `at`, `key`) for each link.
   */
  readonly items?: {
    readonly table: string
    /** The columns of the record that are copied; a caller from whom one is hidden gets no entries. */
    readonly from: readonly string[]
    /** The column of the table with the id of the record. */
    readonly id: string
    readonly at: string
    /** What orders the entries of one time: a uuid, and an integer if the uuid alone is not unique. */
    readonly key: readonly [uuid: string, integer?: string]
    /** The columns of the table with the ids of the records whose timelines have the entry, by the names of the links. */
    readonly links: Readonly<Record<string, string>>
    /** The record type that has the links, if the record has not. */
    readonly linkedBy?: string
    readonly type?: string
    readonly status?: string
    readonly actor?: string
  }
}

const registry = new Map<string, TimelineSource>()

/** The composition root calls it once, with the sources of all subgraphs. */
export function registerTimelineSources(sources: Iterable<TimelineSource>): void {
  for (const source of sources) registry.set(source.kind, source)
}

/** The sources of all subgraphs that run. */
export const timelineSources = (): readonly TimelineSource[] => [...registry.values()]

export const timelineSource = (kind: string): TimelineSource | null => registry.get(kind) ?? null
