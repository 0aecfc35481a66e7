/** The values of each type while a formula is evaluated; null is blank, and no `BOOLEAN` and no empty text is blank or null beside it. */
export interface ValueOf {
  /** In units of 10^-20 (`fixed-point.ts`). */
  NUMBER: bigint
  /** Never empty. */
  TEXT: string
  /** A text from a list of values; can be used as `TEXT`. */
  PICKLIST: string
  /** Several texts. */
  LIST: readonly string[]
  /** Days since 1970-01-01. */
  DATE: number
  /** Milliseconds since 1970-01-01T00:00Z. */
  DATETIME: number
  BOOLEAN: boolean
}

export type FormulaType = keyof ValueOf
export type Value = ValueOf[FormulaType] | null

/** The time of an operation, in the organization's zone. One for all formulas of the operation. */
export interface Moment {
  /** The day in the zone, as `YYYY-MM-DD`. */
  readonly today: string
  readonly now: Date
  /** The IANA name of the zone. */
  readonly zone: string
}

/** The same as SQL: parameters with their casts, such as `$2::date`, `$3::timestamptz` and `$4::text`. */
export type MomentSql = Readonly<Record<keyof Moment, string>>

/** One form of a function or operator: the types that it takes and gives, in JavaScript and in SQL. */
export interface Form {
  readonly takes: readonly FormulaType[]
  /** The arguments that may occur again: from this index, this many at a time. */
  readonly repeats?: readonly [from: number, count: number]
  readonly gives: FormulaType
  /** Blank numbers count as 0 in a formula with `blankAs: ZERO`. */
  readonly isArithmetic?: true
  /** Gets blanks too. Every other form gives blank, or false, when an argument is blank. */
  readonly takesBlank?: true
  /** Gives one of its arguments as it is, so that its result needs no bounds. */
  readonly isChoice?: true
  /** What it reads of the time of the operation; the last argument of `js` and `sql`. */
  readonly reads?: keyof Moment
  readonly js: (...args: never[]) => Value
  /** Without `takesBlank`, SQL that is null when an argument is null. A condition may be null, and is never null as an argument. */
  readonly sql: (...args: string[]) => string
}

/** A field that formulas can read. */
export interface FormulaField {
  readonly type: FormulaType
  /** Where the value is in the JSON of a record: `["customFields", "margin"]`. */
  readonly path: readonly string[]
  /** What a record without a `BOOLEAN` of its own has; absent: false. */
  readonly absent?: boolean
  /**
   * The value in SQL: `numeric`, `text`, `date`, `timestamptz`, `boolean`, and for `LIST` jsonb with an array of texts. Null is blank. It must not
   * fail, whatever is stored.
   */
  readonly sql: (alias: string) => string
  /** The value follows from other records, and changes without the record. */
  readonly isRollup?: true
  /** A formula that is not stored: it is computed in place of the field, and `path`, `absent` and `sql` are not used. */
  readonly formula?: Formula
}

/** The fields of a record type, by the names that a formula uses: `amount`, `customFields.margin`. */
export interface FormulaFields {
  /** What has the fields, for messages: `opportunity`. */
  readonly of: string
  field(name: string): FormulaField | null
  /** The fields of the record to which a relation leads. In a record, its value is the JSON of that record, or null. */
  related?(relation: string): FormulaFields | null
}

/** A field that a formula reads: `account.owner.region` is the field `region` behind the relations `account` and `owner`. */
export interface Reference {
  readonly relations: readonly string[]
  readonly field: string
  /** Its value follows from other records than its own. */
  readonly isRollup?: true
}

/** A checked formula as a tree: every part has a type. */
export type Node =
  | { readonly kind: 'literal'; readonly type: FormulaType; readonly value: Value }
  | {
      readonly kind: 'field'
      readonly type: FormulaType
      readonly relations: readonly string[]
      readonly field: FormulaField
    }
  | {
      readonly kind: 'formula'
      readonly type: FormulaType
      readonly relations: readonly string[]
      readonly formula: Formula
    }
  | {
      readonly kind: 'call'
      readonly type: FormulaType
      readonly form: Form
      readonly args: readonly Node[]
      readonly blankIsZero: boolean
    }

/** Where the records of a statement are. */
export interface Place {
  /** The alias of the record that is reached through these relations; of the record itself without any. */
  readonly alias: (relations: readonly string[]) => string
  /** A value of the record that is reached through relations, as an expression of its own; blank where there is no such record. Without it, `alias` has them. */
  readonly related?: (relations: readonly string[], sql: (alias: string) => string) => string
  /** Needed by formulas that are not local. */
  readonly moment?: MomentSql
}

/** A formula that has been checked, and can be evaluated and written as SQL. */
export interface Formula {
  readonly type: FormulaType
  readonly tree: Node
  /** What its text names. */
  readonly references: readonly Reference[]
  /** What its value depends on: the references, and those of the formulas that it reads. A profile that hides one of them hides the formula. */
  readonly inputs: readonly Reference[]
  /** It reads fields of its own record only, no rollups among them, and not the time: its value changes only when the record does. */
  readonly isLocal: boolean
  /** It reads TODAY, NOW or the zone. */
  readonly readsMoment: boolean
  readonly nodes: number
  /** Places that read another record or a rollup, those in the formulas that it reads included: each is a look-up of its own. */
  readonly lookUps: number
  readonly levels: number
  /** The value as in the JSON of a record. `moment` is needed by formulas that are not local. */
  evaluate(record: Readonly<Record<string, unknown>>, moment?: Moment): unknown
  /** The value as SQL of the type of the formula, without parameters of its own. */
  toSql(place: Place): string
}
