/** The answer of a question by SQL. `$o` is the organization, `$me` the caller; `{account}` and the like are ids of the named records. */
export interface Truth {
  readonly kind: 'COUNT' | 'LIST' | 'SUM' | 'AVERAGE' | 'TOP' | 'GROUP' | 'RECORD' | 'TIMELINE' | 'SCORE' | 'ATTAINMENT'
  readonly table: string
  readonly where: string
  /** The measured, grouped or named column. */
  readonly column: string
  readonly limit: number
}

export type Asked = readonly [text: string, truth: Truth]

export const tables = {
  account: 'crm.account',
  contact: 'crm.contact',
  lead: 'crm.lead',
  deal: 'crm.opportunity',
  quote: 'commerce.quote',
  order: 'commerce."order"',
  invoice: 'commerce.invoice',
  task: 'crm.task',
  activity: 'crm.activity',
  case: 'support."case"',
  product: 'commerce.product',
} as const
export type Table = keyof typeof tables

const asked =
  (kind: Truth['kind'], limit = 0) =>
  (text: string, table: Table, where = 'true', column = ''): Asked => [
    text,
    { kind, table: tables[table], where, column, limit },
  ]

export const count = asked('COUNT')
export const list = asked('LIST')
const summed = asked('SUM')
const averaged = asked('AVERAGE')
const grouped = asked('GROUP')
export const record = asked('RECORD')
export const timeline = asked('TIMELINE')
export const score = asked('SCORE')
export const attainment = asked('ATTAINMENT')
export const sum = (text: string, table: Table, column: string, where = 'true') => summed(text, table, where, column)
export const average = (text: string, table: Table, column: string, where = 'true') =>
  averaged(text, table, where, column)
export const group = (text: string, table: Table, column: string, where = 'true') => grouped(text, table, where, column)
export const top = (text: string, limit: number, table: Table, column: string, where = 'true') =>
  asked('TOP', limit)(text, table, where, column)

/** Bounds of a day, week, month, quarter or year in the zone of the caller, as SQL. */
export const within = (column: string, unit: string, back = 0): string => {
  const start = `(date_trunc('${unit}', $now::timestamptz at time zone $zone)`
  const step =
    unit === 'quarter' ? (n: number) => `interval '${3 * n} months'` : (n: number) => `interval '${n} ${unit}'`
  return `${column} >= ${start} - ${step(back)}) at time zone $zone and ${column} < ${start} - ${step(back - 1)}) at time zone $zone`
}

export const open: Readonly<Record<string, string>> = {
  deal: 'not is_closed',
  case: `status in ('NEW', 'OPEN', 'PENDING_CUSTOMER', 'ESCALATED')`,
  task: `status in ('NOT_STARTED', 'IN_PROGRESS', 'WAITING')`,
  lead: `status in ('NEW', 'CONTACTED', 'QUALIFIED', 'NURTURING')`,
  invoice: `status in ('SENT', 'PARTIALLY_PAID', 'OVERDUE')`,
  quote: `status in ('DRAFT', 'IN_REVIEW', 'APPROVED', 'SENT')`,
  order: `status in ('DRAFT', 'CONFIRMED', 'PROCESSING', 'PARTIALLY_FULFILLED')`,
}
