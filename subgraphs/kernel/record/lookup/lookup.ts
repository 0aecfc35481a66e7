/** The field of a record that answers the records which its lookups name. */
export const relatedName = 'related'
/** The field of a record that answers the records whose lookups name it. */
export const referencedByName = 'referencedBy'

/** The record types of the platform that can have lookups, as they can have custom fields. */
export const typesWithLookups = ['lead', 'contact', 'account', 'opportunity', 'product', 'quote'] as const

/** The record types of the platform that lookups can name. */
export const lookupTargets = [...typesWithLookups, 'task', 'case'] as const

/** What becomes of the references, or of the records that have them, when the record that they name is deleted. */
export type OnDelete = 'CLEAR' | 'RESTRICT' | 'CASCADE'

/** A custom field whose values are ids of records of another type. Plain data. */
export interface Lookup {
  /** The record type of the ids: `account`, `custom:site_visit`. */
  readonly to: string
  /** `CASCADE` of the master of a record, through which the record is visible. */
  readonly onDelete: OnDelete
  /** A record keeps the value that it was created with. */
  readonly isFixed?: boolean
}

/** A lookup, as the record type that it names knows it. */
export interface LookupFrom {
  /** The record type that has the field. */
  readonly object: string
  /** The API name of the field. */
  readonly key: string
  readonly onDelete: OnDelete
  /** Whether the index has the values of all records. */
  readonly isReady: boolean
}

interface FieldWithLookup {
  readonly name: string
  readonly lookup?: Lookup
  readonly index?: { readonly isReady: boolean }
}

/** The lookups of these custom fields by the record type that they name. */
export function lookupsByTarget(
  customFields: Readonly<Record<string, readonly FieldWithLookup[]>>,
): ReadonlyMap<string, readonly LookupFrom[]> {
  const all = Object.entries(customFields).flatMap(([object, fields]) =>
    fields.flatMap(({ name: key, lookup, index }) =>
      lookup
        ? [{ to: lookup.to, from: { object, key, onDelete: lookup.onDelete, isReady: index?.isReady ?? false } }]
        : [],
    ),
  )
  return new Map([...Map.groupBy(all, ({ to }) => to)].map(([to, found]) => [to, found.map(({ from }) => from)]))
}

/** Whether a record with these lookups has a master: it has no owner, and it is visible through its masters. */
export const isMaster = ({ lookup }: { readonly lookup?: Pick<Lookup, 'onDelete'> }): boolean =>
  lookup?.onDelete === 'CASCADE'
