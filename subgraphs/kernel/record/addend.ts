export type CustomFieldName = `customFields.${string}`

/** The name of a column of a record, or of a custom field. */
export type ColumnName<T> = (keyof T & string) | CustomFieldName

/** Compares with another column of the same row. */
export interface ColumnReference<T> {
  readonly column: ColumnName<T>
}

/** Filter operators; all of them must match. */
interface Operators<T, V> {
  readonly eq?: NonNullable<V>
  readonly ne?: NonNullable<V>
  readonly in?: readonly NonNullable<V>[]
  readonly notIn?: readonly NonNullable<V>[]
  readonly gt?: NonNullable<V> | ColumnReference<T>
  readonly gte?: NonNullable<V> | ColumnReference<T>
  readonly lt?: NonNullable<V> | ColumnReference<T>
  readonly lte?: NonNullable<V> | ColumnReference<T>
  readonly isNull?: boolean
}

type ConditionOn<T, V> = Extract<V, string | number | boolean> | Operators<T, V>

/** Selects the records of an aggregate: all members must match, and at least one of `or`. A plain value means equality. */
export type Condition<T> = { readonly [K in keyof T & string]?: ConditionOn<T, T[K]> } & {
  readonly [K in CustomFieldName]?: ConditionOn<T, string | number | boolean>
} & { readonly or?: readonly Condition<T>[] }

/** A value of each record: a column, or the seconds between two timestamps. */
export type Value<N extends string> = N | { readonly from: N; readonly to: N }

/** What is added up over records: the value, 1 if there is a value, or 1 if neither is given. Only over records that match `where`. */
export interface AddendShape {
  readonly sum?: Value<string>
  readonly count?: Value<string>
  readonly where?: object
}

/** `AddendShape` with names and values that the compiler checks. */
export interface Addend<T> extends AddendShape {
  readonly sum?: Value<ColumnName<T>>
  readonly count?: Value<ColumnName<T>>
  readonly where?: Condition<T>
}
