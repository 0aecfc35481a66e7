import { toDigits } from './fixed-point.ts'
import type { FormulaType, MomentSql, Node, Place, Value } from './formula.ts'
import { formulaLimits } from './limits.ts'

const { text: textMax, fieldText: fieldTextMax } = formulaLimits

/** The PostgreSQL type of each type. */
const sqlTypes: Readonly<Record<FormulaType, string>> = {
  NUMBER: 'numeric',
  TEXT: 'text',
  PICKLIST: 'text',
  LIST: 'jsonb',
  DATE: 'date',
  DATETIME: 'timestamptz',
  BOOLEAN: 'boolean',
}

/** A text as SQL, whatever `standard_conforming_strings` is. */
function textSql(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`
  return text.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted
}

/** Literals are texts, numbers and conditions. */
function literalSql(type: FormulaType, value: Value): string {
  if (typeof value === 'boolean') return String(value)
  const sql = typeof value === 'bigint' ? toDigits(value) : typeof value === 'string' ? textSql(value) : 'null'
  return `${sql}::${sqlTypes[type]}`
}

/** The value of a field, with the same bounds as in JavaScript. */
const fieldSql: Readonly<Record<FormulaType, (sql: string) => string>> = {
  NUMBER: (sql) => `kernel.formula_number(${sql})`,
  TEXT: (sql) => `nullif(left(${sql}, ${fieldTextMax}), '')`,
  PICKLIST: (sql) => `nullif(left(${sql}, ${fieldTextMax}), '')`,
  LIST: (sql) => sql,
  DATE: (sql) => sql,
  DATETIME: (sql) => `kernel.formula_time(${sql})`,
  BOOLEAN: (sql) => `coalesce(${sql}, false)`,
}

function momentSql({ moment }: Place, name: keyof MomentSql): string {
  if (!moment) throw new Error('A formula that is not local needs the moment of the operation.')
  return moment[name]
}

function callSql({ type, form, args, blankIsZero }: Extract<Node, { kind: 'call' }>, place: Place): string {
  const values = args.map((argument) => {
    const sql = nodeSql(argument, place)
    return blankIsZero ? `coalesce(${sql}, 0)` : sql
  })
  if (form.reads) values.push(momentSql(place, form.reads))
  const sql = form.sql(...values)
  if (form.isChoice) return `(${sql})`
  if (type === 'TEXT') return `nullif(left(${sql}, ${textMax}), '')`
  return type === 'BOOLEAN' ? `coalesce(${sql}, false)` : `(${sql})`
}

const valueSql = ({ alias, related }: Place, relations: readonly string[], sql: (alias: string) => string): string =>
  related && relations.length > 0 ? related(relations, sql) : sql(alias(relations))

/** A formula of the record that is reached through relations; blank where there is no such record. */
function relatedSql({ type, relations, formula }: Extract<Node, { kind: 'formula' }>, place: Place): string {
  const { alias, related, ...others } = place
  if (!related) return nodeSql(formula.tree, { ...place, alias: (further) => alias([...relations, ...further]) })
  const sql = related(relations, (own) =>
    nodeSql(formula.tree, {
      ...others,
      alias: () => own,
      related: (further, read) => related([...relations, ...further], read),
    }),
  )
  return type === 'BOOLEAN' ? `coalesce(${sql}, false)` : sql
}

/** A tree as SQL. Every part is in parentheses or a call, so that parts can be combined as texts. */
export function nodeSql(node: Node, place: Place): string {
  switch (node.kind) {
    case 'literal':
      return literalSql(node.type, node.value)
    case 'field': {
      const { relations, field, type } = node
      return fieldSql[type](valueSql(place, relations, field.sql))
    }
    case 'formula':
      return node.relations.length === 0 ? nodeSql(node.formula.tree, place) : relatedSql(node, place)
    case 'call':
      return callSql(node, place)
  }
}
