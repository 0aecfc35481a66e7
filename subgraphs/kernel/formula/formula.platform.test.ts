import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { cases, caseRow, zeroCases } from './cases.fixture.ts'
import {
  compileRow,
  fieldNames,
  inJs,
  moment,
  momentValues,
  place,
  rowFields,
  Rows,
  rowSource,
  sqlText,
} from './formula.fixture.ts'
import { compileFormula, type FormulaReturnType } from './compile.ts'
import type { Formula, FormulaFields } from './formula.ts'
import { lowerPairs, upperPairs } from './case-table.ts'

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
})

afterAll(() => fresh.drop())

/** The values of formulas for each row, in a session whose settings must not matter. */
async function inSql(formulas: readonly Formula[]): Promise<(string | null)[][]> {
  const list = formulas.map(sqlText).join(',\n')
  return fresh.database.transaction(async (sql) => {
    for (const setting of [`timezone = 'Asia/Kathmandu'`, `datestyle = 'SQL, DMY'`, `intervalstyle = 'sql_standard'`])
      await sql.query(`set local ${setting}`)
    const rows = await sql.query<{ values: (string | null)[] }>(
      `select array[${list}] as values from ${rowSource} where ($1::date, $2::timestamptz, $3::text) is not null order by r.id`,
      [...momentValues],
    )
    return rows.map(({ values }) => values)
  })
}

describe('the evaluator in SQL', () => {
  it('gives what JavaScript gives, in every case', async () => {
    const rows = new Rows([caseRow])
    await rows.createIn(fresh.database)
    const formulas = [
      ...cases.map(([type, text]) => compileRow(text, type)),
      ...zeroCases.map(([type, text]) => compileRow(text, type, { blankAs: 'ZERO' })),
    ]
    const [values] = await inSql(formulas)
    const texts = [...cases, ...zeroCases].map(([, text]) => text)
    const actual = formulas.map((_, index) => [texts[index], values![index]])
    expect(actual).toEqual(formulas.map((formula, index) => [texts[index], inJs(formula, rows.records[0]!)]))
  })

  it('rounds numbers to the decimals of the field, half away from zero, without zeros at the end', async () => {
    await new Rows([caseRow]).createIn(fresh.database)
    const formulas = [
      compileRow('2.345', 'NUMBER', { decimals: 2 }),
      compileRow('-2.5', 'CURRENCY', { decimals: 0 }),
      compileRow('amount', 'NUMBER', { decimals: 4 }),
    ]
    expect(await inSql(formulas)).toEqual([['2.35', '-3', '1234.5']])
  })

  it('changes the case of every character as JavaScript does, by the same table', async () => {
    const [upper, lower] = [upperPairs, lowerPairs].map((pairs) => pairs.map(([from]) => from).join(''))
    const texts = [`${upper!} ß ŉ ǰ`, `${lower!} İ`]
    const rows = new Rows(texts.map((name) => JSON.stringify({ name })))
    await rows.createIn(fresh.database)
    const formulas = [compileRow('UPPER(name)', 'TEXT'), compileRow('LOWER(name)', 'TEXT')]
    expect(await inSql(formulas)).toEqual(rows.records.map((row) => formulas.map((formula) => inJs(formula, row))))
  })

  it('is immutable where a formula is local, so an index can have it', async () => {
    await new Rows([caseRow]).createIn(fresh.database)
    const refused: string[] = []
    for (const [type, text] of cases) {
      const formula = compileRow(text, type)
      if (!formula.isLocal) continue
      const index = `create index on formula_row ((${formula.toSql({ alias: () => 'formula_row' })}))`
      await fresh.database.query(index).catch((error: Error) => refused.push(`${text}: ${error.message}`))
    }
    expect(refused).toEqual([])
  })

  it('keeps texts of a formula apart from SQL', async () => {
    const names = [`'; drop table formula_row; --`, `\\'; select 1; --`, '$1 $$ {0} %s', '\\', `''`, 'a\\nb']
    const rows = new Rows(names.map((name) => JSON.stringify({ name })))
    await rows.createIn(fresh.database)
    const formulas = names.map((name) => compileRow(`name = ${JSON.stringify(name)}`, 'CHECKBOX'))
    const expected = names.map((name) => names.map((other) => String(name === other)))
    expect(await inSql(formulas)).toEqual(expected)
    await fresh.database.transaction(async (sql) => {
      await sql.query('set local standard_conforming_strings = off')
      const list = formulas.map((formula) => formula.toSql(place)).join()
      const found = await sql.query<{ values: boolean[] }>(
        `select array[${list}] as values from ${rowSource} order by r.id`,
      )
      expect(found.map(({ values }) => values.map(String))).toEqual(expected)
    })
  })
})

describe('the largest formulas', () => {
  const chain = (count: number, part: string, operator: string): string =>
    Array.from({ length: count }, () => part).join(operator)
  const nested = (open: string, inner: string, close: string): string => open.repeat(31) + inner + close.repeat(31)
  const largest: readonly (readonly [FormulaReturnType, string])[] = [
    ['NUMBER', chain(250, 'amount', ' + ')],
    ['NUMBER', chain(250, '1.1', ' * ')],
    ['NUMBER', chain(250, '999999999', ' / ')],
    ['NUMBER', `POWER(${nested('POWER(', '1.000000001', ', 10)')}, 10)`],
    ['TEXT', chain(250, 'name', ' & ')],
    ['CHECKBOX', chain(125, '(amount = 1)', ' || ')],
    ['NUMBER', nested('IF(active, ', 'amount', ', 1)')],
    ['NUMBER', `CASE(name, ${chain(240, '"x", 1', ', ')}, 2)`],
    ['NUMBER', `MAX(${chain(498, '1', ', ')})`],
    ['TEXT', nested('LOWER(', 'UPPER(name)', ')')],
    ['TEXT', nested('UPPER(', 'name', ')')],
    ['TEXT', nested('LPAD(', 'name', ', 1000000000000000, note)')],
    ['TEXT', nested('SUBSTITUTE(', 'name', ', LEFT(name, 1), note)')],
    ['TEXT', nested('SUBSTITUTE(', 'name', ', "x", "")')],
    ['DATE', nested('ADDMONTHS(', 'dueOn', ', 1000)')],
  ]

  it('have the same bounded values in JavaScript and SQL', async () => {
    const names = ['x'.repeat(4000), '\u13a0'.repeat(4000), '\u{10428}'.repeat(2000), '\u00e4'.repeat(40_000)]
    const rows = new Rows(
      names.map((name) => JSON.stringify({ name, note: name, amount: 1e15, active: true, dueOn: '2024-01-31' })),
    )
    await rows.createIn(fresh.database)
    const formulas = largest.map(([type, text]) => compileRow(text, type))
    const found = await inSql(formulas)
    for (const [at, formula] of formulas.entries())
      expect([largest[at]![1], found.map((values) => values[at])]).toEqual([
        largest[at]![1],
        rows.records.map((row) => inJs(formula, row)),
      ])
  })

  it('may be formulas that read formulas, of 500 parts together', async () => {
    await new Rows([caseRow]).createIn(fresh.database)
    const compiled = new Map<string, Formula>()
    const fields: FormulaFields = {
      ...rowFields,
      field(name) {
        const formula = compiled.get(name)
        return formula ? { type: formula.type, path: [], sql: () => '', formula } : rowFields.field(name)
      },
    }
    for (let level = 1; level <= 5; level++) {
      const before = level === 1 ? 'amount' : `f${level - 1}`
      const text = `${'ABS('.repeat(32)}${chain(33, '1', ' + ')} + ${before}${')'.repeat(32)}`
      compiled.set(`f${level}`, compileFormula(text, { fields, returnType: 'NUMBER', blankAs: 'ZERO', decimals: 2 }))
    }
    expect(compiled.get('f5')!.nodes).toBe(491)
    expect(await inSql([compiled.get('f5')!])).toEqual([['1399.5']])
  })
})

describe('values of any type in custom fields', () => {
  const values: readonly string[] = [
    'null',
    'true',
    'false',
    '0',
    '-0',
    '1e15',
    '1000000000000001',
    '-1e300',
    '0.123456789012345678905',
    '1e-400',
    '9'.repeat(400),
    '""',
    '" "',
    '"text"',
    '"1"',
    '"true"',
    '[]',
    '{}',
    '["a"]',
    '["a", 1, null, ["b"], {"c": 1}]',
    '{"a": 1}',
    '"2024-02-29"',
    '"2023-02-29"',
    '"0000-01-01"',
    '"0001-01-01"',
    '"9999-12-31"',
    '"20240229"',
    '"infinity"',
    '"now"',
    '"٢٠٢٤-٠١-٠١"',
    '"2024-02-29T23:59:59.9999999Z"',
    '"2024-02-29T23:59:59.999Z"',
    '"9999-12-31T23:59:59.9999Z"',
    '"9999-12-31T23:59:59-14:59"',
    '"0001-01-01T00:00+14:59"',
    '"2024-02-29T24:00:00Z"',
    '"2024-02-29t10:00:00z"',
    '"2024-02-29T10:00:00"',
    '"2024-02-29 10:00:00Z"',
    '"2024-02-29T10:00:00+0530"',
  ]

  it('never make a statement fail, and are the same in JavaScript and SQL', async () => {
    const custom = fieldNames.filter((name) => name.startsWith('customFields.'))
    const rows = new Rows(
      values.map((value) => `{"customFields": {${custom.map((name) => `"${name.slice(13)}": ${value}`).join()}}}`),
    )
    await rows.createIn(fresh.database)
    const uses: Readonly<Record<string, readonly string[]>> = {
      NUMBER: [
        '# + 1',
        '# & ""',
        'POWER(#, 10)',
        '1 / #',
        'LPAD("a", #, "b")',
        'DATE(#, #, #)',
        'ADDDAYS(TODAY(), #)',
        'ADDMONTHS(NOW(), #)',
      ],
      TEXT: [
        '# & "!"',
        'UPPER(#)',
        'VALUE(#)',
        'DATEVALUE(#)',
        'DATETIMEVALUE(#)',
        'SUBSTITUTE(#, #, "x")',
        'FIND(#, #, 1)',
      ],
      PICKLIST: ['ISPICKVAL(#, "text")', 'CASE(#, "text", 1, 2)'],
      LIST: ['INCLUDES(#, "a")', 'INCLUDES(#, "1")', 'ISBLANK(#)'],
      DATE: ['#', 'ADDDAYS(#, 1)', 'ADDMONTHS(#, -1)', 'YEAR(#)', 'DAYSBETWEEN(#, TODAY())'],
      DATETIME: ['#', 'ADDDAYS(#, -1)', 'ADDMONTHS(#, 1)', 'DATEVALUE(#)', 'HOURSBETWEEN(#, NOW())', '# & ""'],
      BOOLEAN: ['#', '!#', '# & ""'],
    }
    const returnTypes = ['NUMBER', 'TEXT', 'DATE', 'DATETIME', 'CHECKBOX'] as const
    const compiled = (text: string): Formula => {
      for (const type of returnTypes)
        try {
          return compileRow(text, type)
        } catch {
          continue
        }
      throw new Error(text)
    }
    const typeOf: Readonly<Record<string, string>> = {
      margin: 'NUMBER',
      label: 'TEXT',
      tier: 'PICKLIST',
      regions: 'LIST',
      loyal: 'BOOLEAN',
      eager: 'BOOLEAN',
      renewalAt: 'DATETIME',
      signedOn: 'DATE',
    }
    const texts = custom.flatMap((name) => uses[typeOf[name.slice(13)]!]!.map((use) => use.replaceAll('#', name)))
    const formulas = texts.map(compiled)
    const found = await inSql(formulas)
    const differences = rows.records.flatMap((row, index) =>
      formulas.flatMap((formula, at) => {
        const [sql, js] = [found[index]![at], inJs(formula, row)]
        return sql === js ? [] : [`${texts[at]!} of ${values[index]!}: ${js} in JavaScript, ${sql} in SQL`]
      }),
    )
    expect(differences).toEqual([])
    expect(moment.today).toBe('2028-02-29')
  })
})
