import { describe, expect, it } from 'vitest'
import { compileRow, rowFields } from './formula.fixture.ts'
import { compileFormula, type FormulaReturnType } from './compile.ts'
import type { Formula, FormulaFields } from './formula.ts'
import { FormulaError, fieldProblems, type FormulaProblem } from './problem.ts'

/** The problems of a formula, in the form `code at offset+length: message`. */
function problemsOf(compile: () => unknown): readonly FormulaProblem[] {
  try {
    compile()
  } catch (error) {
    if (error instanceof FormulaError) return error.problems
    throw error
  }
  return []
}

const refusals = (text: string, type: FormulaReturnType = 'NUMBER'): string[] =>
  problemsOf(() => compileRow(text, type)).map(
    ({ code, offset, length, message }) => `${code.slice(8)} ${offset}+${length} ${message}`,
  )

describe('a formula with an error of syntax is refused at its place', () => {
  it.each([
    ['', '0+0 There must be a value, a field or a function where the formula ends.'],
    ['1 +', '3+0 There must be a value, a field or a function where the formula ends.'],
    ['1 2', '2+1 There must be an operator or the end of the formula where "2" is.'],
    ['(1', '2+0 There must be ")" or an operator where the formula ends.'],
    ['1)', '1+1 There must be an operator or the end of the formula where ")" is.'],
    ['ROUND(1,)', '8+1 There must be a value, a field or a function where ")" is.'],
    ['ROUND(,1)', '6+1 There must be a value, a field or a function where "," is.'],
    ['1 < 2 < 3', '6+1 Comparisons cannot be chained; combine them with &&.'],
    ['1 == 2', '3+1 There must be a value, a field or a function where "=" is.'],
    ['--1', '1+1 There must be a value, a field or a function where "-" is.'],
    ['account.', '8+0 There must be the name of a field where the formula ends.'],
    ['"abc', '0+4 A text ends with a quotation mark.'],
    ['"a\\q"', '2+2 \\q is not an escape; write \\" \\\\ \\n or \\t in a text.'],
    ['"\0"', '0+3 A text has no NUL character and no unpaired surrogate.'],
    ['"\ud800"', '0+3 A text has no NUL character and no unpaired surrogate.'],
    ["'a'", '0+1 "\'" has no meaning here. Texts are in double quotation marks.'],
    ['1 ; 2', '2+1 ";" has no meaning here.'],
    ['\u{1F600}', '0+2 "\u{1F600}" has no meaning here.'],
    ['1 /* a', '2+4 A comment ends with */.'],
    ['12345678901234567', '0+17 A number has at most 16 digits before the point and 20 after it.'],
    ['0.123456789012345678901', '0+23 A number has at most 16 digits before the point and 20 after it.'],
  ])('%j', (text, expected) => {
    expect(refusals(text)).toEqual([`SYNTAX ${expected}`])
  })

  it('has the line and the column of the place, and the path of the input', () => {
    const [problem] = problemsOf(() => compileRow('1 +\r\n  // the rest\n  nothing', 'NUMBER'))
    expect(problem).toMatchObject({ offset: 21, line: 3, column: 3, length: 7 })
    expect(fieldProblems('formulaConfig.expression', [problem!])[0]).toMatchObject({
      path: 'formulaConfig.expression',
      code: 'FORMULA_UNKNOWN_FIELD',
      message: 'nothing is not a field of row that formulas can read.',
    })
  })
})

describe('a formula with parts of wrong types is refused with each of them', () => {
  it.each<[string, FormulaReturnType, string[]]>([
    ['name', 'NUMBER', ['TYPE 0+4 The formula gives a text and must give a number. VALUE(…) converts it.']],
    ['amount', 'TEXT', ['TYPE 0+6 The formula gives a number and must give a text. TEXT(…) converts it.']],
    ['closedAt', 'DATE', ['TYPE 0+8 The formula gives a date and time and must give a date. DATEVALUE(…) is its day.']],
    [
      'tags',
      'TEXT',
      ['TYPE 0+4 The formula gives a field with several values and must give a text. INCLUDES(…) looks for a value.'],
    ],
    ['1 + name', 'NUMBER', ['TYPE 4+4 "+" takes a number beside a number; this is a text. VALUE(…) converts it.']],
    [
      'dueOn + 1',
      'DATE',
      ['TYPE 0+5 "+" takes a number; this is a date. ADDDAYS and DAYSBETWEEN calculate with dates.'],
    ],
    [
      'amount = name',
      'CHECKBOX',
      ['TYPE 9+4 "=" takes a number beside a number; this is a text. VALUE(…) converts it.'],
    ],
    [
      'TRUE < FALSE',
      'CHECKBOX',
      ['TYPE 0+4 "<" takes a number or a text or a date or a date and time; this is a condition.'],
    ],
    ['amount && TRUE', 'CHECKBOX', ['TYPE 0+6 "&&" takes a condition; this is a number.']],
    ['-name', 'NUMBER', ['TYPE 1+4 "-" takes a number; this is a text. VALUE(…) converts it.']],
    [
      'tags & "a"',
      'TEXT',
      ['TYPE 0+4 "&" takes a text; this is a field with several values. INCLUDES(…) looks for a value.'],
    ],
    ['LEFT(1, 2)', 'TEXT', ['TYPE 5+1 Argument 1 of LEFT must be a text; this is a number. TEXT(…) converts it.']],
    [
      'IF(active, 1, "a")',
      'NUMBER',
      ['TYPE 14+3 Argument 3 of IF must be a number; this is a text. VALUE(…) converts it.'],
    ],
    ['IF(1, 2, 3)', 'NUMBER', ['TYPE 3+1 Argument 1 of IF must be a condition; this is a number.']],
    [
      'ISPICKVAL(name, "a")',
      'CHECKBOX',
      ['TYPE 10+4 Argument 1 of ISPICKVAL must be a picklist field; this is a text.'],
    ],
    ['ROUND()', 'NUMBER', ['TYPE 0+5 ROUND takes 1 or 2 arguments and has 0.']],
    ['ABS(1, 2)', 'NUMBER', ['TYPE 0+3 ABS takes 1 argument and has 2.']],
    ['MIN(1)', 'NUMBER', ['TYPE 0+3 MIN takes at least 2 arguments and has 1.']],
    ['CASE(1, 2, 3)', 'NUMBER', ['TYPE 0+4 CASE takes 4, 6, 8 and so on arguments and has 3.']],
    ['9999999999999999', 'NUMBER', ['TYPE 0+16 A number is at most 10^15.']],
    [
      'LOG(1) + nothing * LEFT(amount, name) + total.of',
      'NUMBER',
      [
        'UNKNOWN_FUNCTION 0+3 There is no function LOG.',
        'UNKNOWN_FIELD 9+7 nothing is not a field of row that formulas can read.',
        'TYPE 24+6 Argument 1 of LEFT must be a text; this is a number. TEXT(…) converts it.',
        'UNKNOWN_FIELD 40+8 total.of is not a field of row that formulas can read.',
      ],
    ],
    [
      'TODAY',
      'DATE',
      ['UNKNOWN_FIELD 0+5 TODAY is not a field of row that formulas can read. The function is written TODAY(…).'],
    ],
    ['account', 'TEXT', ['UNKNOWN_FIELD 0+7 account is not a field of row that formulas can read.']],
    [
      'customFields.nothing',
      'TEXT',
      ['UNKNOWN_FIELD 0+20 customFields.nothing is not a field of row that formulas can read.'],
    ],
    ['constructor()', 'TEXT', ['UNKNOWN_FUNCTION 0+11 There is no function CONSTRUCTOR.']],
    [
      'toString.__proto__',
      'TEXT',
      ['UNKNOWN_FIELD 0+18 toString.__proto__ is not a field of row that formulas can read.'],
    ],
  ])('%s as %s', (text, type, expected) => {
    expect(refusals(text, type)).toEqual(expected)
  })

  it('names at most 20 problems', () => {
    expect(refusals(Array.from({ length: 30 }, () => 'x').join(' + '))).toHaveLength(20)
  })
})

describe('a formula', () => {
  it('may have names of functions and words in any case, spaces and comments', () => {
    const text = '/* half ** of */ round( // to cents\n amount / 2\t, 2 ) + If(true, 0, nUlL)'
    expect(compileRow(text, 'NUMBER').evaluate({ amount: 1.01 })).toBe(0.51)
  })

  it('lists the fields that it reads, once each', () => {
    const { references, isLocal } = compileRow(
      'amount + amount + account.account.score + customFields.margin',
      'NUMBER',
    )
    expect(references).toEqual([
      { relations: [], field: 'amount' },
      { relations: ['account', 'account'], field: 'score' },
      { relations: [], field: 'customFields.margin' },
    ])
    expect(isLocal).toBe(false)
  })

  it.each([
    ['amount + 1', true],
    ['DATETIMEVALUE("2024-02-29T00:00:00Z") < closedAt', true],
    ['DATEVALUE(name) = dueOn', true],
    ['account.amount > 1', false],
    ['dueOn < TODAY()', false],
    ['closedAt < NOW()', false],
    // The day depends on the zone of the organization, which can change.
    ['DATEVALUE(closedAt) = dueOn', false],
  ])('that is %s is local: %s', (text, isLocal) => {
    const formula = compileRow(
      text.includes('<') || text.includes('=') || text.includes('>') ? text : `${text} = 1`,
      'CHECKBOX',
    )
    expect(formula.isLocal).toBe(isLocal)
  })

  it('that is not local needs the moment of the operation', () => {
    const formula = compileRow('TODAY()', 'DATE')
    expect(() => formula.evaluate({})).toThrow('moment of the operation')
    expect(() => formula.toSql({ alias: () => 'r' })).toThrow('moment of the operation')
  })

  it('reads the records that relations lead to, and blanks where there is none', () => {
    const formula = compileRow('account.name & "/" & account.account.name', 'TEXT')
    expect(formula.evaluate({ account: { name: 'a', account: { name: 'b' } } })).toBe('a/b')
    expect(formula.evaluate({ account: { name: 'a', account: null } })).toBe('a/')
    expect(formula.evaluate({})).toBe('/')
  })

  it('rounds its result to the decimals', () => {
    expect(compileRow('amount', 'NUMBER', { decimals: 2 }).evaluate({ amount: -1.005 })).toBe(-1.01)
    expect(() => compileRow('amount', 'NUMBER', { decimals: 21 })).toThrow('between 0 and 20')
  })
})

/** Fields with formulas, each compiled with those before it. */
function fieldsWith(formulas: Readonly<Record<string, string>>, type: FormulaReturnType = 'NUMBER'): FormulaFields {
  const compiled = new Map<string, Formula>()
  const fields: FormulaFields = {
    of: 'row',
    field(name) {
      const formula = compiled.get(name)
      return formula ? { type: formula.type, path: [], sql: () => '', formula } : rowFields.field(name)
    },
    related: (relation) => (relation === 'account' ? fields : null),
  }
  for (const [name, text] of Object.entries(formulas))
    compiled.set(name, compileFormula(text, { fields, returnType: type, decimals: 2, blankAs: 'BLANK' }))
  return fields
}

const compileWith = (fields: FormulaFields, text: string): Formula =>
  compileFormula(text, { fields, returnType: 'NUMBER', decimals: 4, blankAs: 'ZERO' })

describe('a formula that reads a formula', () => {
  const fields = fieldsWith({ third: 'amount / 3', due: 'DAYSBETWEEN(dueOn, TODAY())', far: 'account.third + 1' })

  it('gets its rounded value, with its own rule for blanks', () => {
    const formula = compileWith(fields, 'third * 3')
    expect(formula.evaluate({ amount: 10 })).toBe(9.99)
    expect(formula.evaluate({})).toBe(0)
    expect(formula.toSql({ alias: () => 'r' })).toContain('round(')
  })

  it('depends on what that reads, also behind relations', () => {
    const formula = compileWith(fields, 'account.far')
    expect(formula.references).toEqual([{ relations: ['account'], field: 'far' }])
    expect(formula.inputs).toEqual([
      { relations: ['account'], field: 'far' },
      { relations: ['account', 'account'], field: 'third' },
      { relations: ['account', 'account'], field: 'amount' },
    ])
    expect(formula.evaluate({ account: { account: { amount: 6 } } })).toBe(3)
    expect(formula.evaluate({ account: null })).toBe(null)
    expect(formula.toSql({ alias: (relations) => ['r', ...relations].join('_') })).toContain('r_account_account.amount')
  })

  it('is local when that is', () => {
    expect(compileWith(fields, 'third').isLocal).toBe(true)
    expect(compileWith(fields, 'due').isLocal).toBe(false)
    expect(compileWith(fields, 'far').isLocal).toBe(false)
  })
})

describe('the limits of a formula', () => {
  const tooComplex = (text: string, fields = rowFields, type: FormulaReturnType = 'NUMBER'): string[] =>
    problemsOf(() => compileFormula(text, { fields, returnType: type, blankAs: 'BLANK' })).map(({ code, message }) =>
      code === 'FORMULA_TOO_COMPLEX' ? message : code,
    )
  const joined = (count: number, part: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => part(index)).join(' + ')
  const manyFields = (name: (index: number) => boolean): FormulaFields => ({
    of: 'row',
    field: (field) => (name(Number(field.slice(1))) ? { type: 'NUMBER', path: [field], sql: () => field } : null),
    related: (relation) => (relation.startsWith('r') ? manyFields(name) : null),
  })
  const all = manyFields((index) => index >= 0)

  it('4,000 characters', () => {
    expect(tooComplex(`1${' '.repeat(3999)}`)).toEqual([])
    expect(tooComplex(`1${' '.repeat(4000)}`)).toEqual(['A formula has at most 4000 characters.'])
  })

  it('32 levels of calls and parentheses', () => {
    expect(tooComplex(`${'('.repeat(32)}1${')'.repeat(32)}`)).toEqual([])
    expect(tooComplex(`${'ABS('.repeat(33)}1${')'.repeat(33)}`)).toEqual([
      'Calls and parentheses are at most 32 levels deep.',
    ])
    expect(tooComplex(joined(60, () => '(1)'))).toEqual([])
  })

  it('500 nodes', () => {
    expect(tooComplex(joined(250, () => '1'))).toEqual([])
    expect(tooComplex(`${joined(250, () => '1')} + amount`)).toEqual([
      'A formula has at most 500 operators, calls, literals and fields together.',
    ])
  })

  it('500 nodes with the formulas that it reads', () => {
    const fields = fieldsWith({ half: joined(125, () => '1') })
    expect(tooComplex('half + half', fields)).toEqual([])
    expect(tooComplex('half + half + 1', fields)).toEqual([
      'The formula has 501 operators, calls, literals and fields, with those of the formulas that it reads; there are at most 500.',
    ])
  })

  it('50 fields', () => {
    expect(
      tooComplex(
        joined(50, (index) => `f${index}`),
        all,
      ),
    ).toEqual([])
    expect(
      tooComplex(
        joined(51, (index) => `f${index}`),
        all,
      )[0],
    ).toContain('51 different fields')
  })

  it('3 hops', () => {
    expect(tooComplex('account.account.account.amount')).toEqual([])
    expect(tooComplex('account.account.account.account.amount')).toEqual([
      'A field is reached through at most 3 relations.',
    ])
    const far = fieldsWith({ far: 'account.account.amount' })
    expect(tooComplex('account.far', far)).toEqual([])
    expect(tooComplex('account.account.far', far)[0]).toContain('reads account.account.account.account.amount')
  })

  it('10 relations', () => {
    expect(
      tooComplex(
        joined(10, (index) => `r${index}.f1`),
        all,
      ),
    ).toEqual([])
    expect(
      tooComplex(
        joined(11, (index) => `r${index}.f1`),
        all,
      )[0],
    ).toContain('11 relations')
    // Relations on the way count, too.
    expect(
      tooComplex(
        joined(4, (index) => `r${index}.r.r.f1`),
        all,
      )[0],
    ).toContain('12 relations')
  })

  it('formulas on formulas 5 deep', () => {
    const chain = { a: '1', b: 'a', c: 'b', d: 'c' }
    expect(tooComplex('d', fieldsWith(chain))).toEqual([])
    expect(tooComplex('e', fieldsWith({ ...chain, e: 'd' }))[0]).toContain('6 formulas that read one another')
  })

  it('texts of 4,000 characters, which are cut', () => {
    const long = { name: '\u{1F600}'.repeat(3999), note: 'x'.repeat(40_000) }
    const lengthOf = (text: string): unknown => compileRow(`LEN(${text})`, 'NUMBER').evaluate(long)
    expect(lengthOf('name & "ab"')).toBe(4000)
    expect(lengthOf('LPAD(name, 5000, "ab")')).toBe(4000)
    expect(lengthOf('UPPER(note)')).toBe(4000)
    expect(lengthOf('SUBSTITUTE(note, "x", note)')).toBe(4000)
    expect(lengthOf('note')).toBe(32_000)
    expect((compileRow('note', 'TEXT').evaluate(long) as string).length).toBe(4000)
  })
})

describe('a hostile text', () => {
  const nested = (open: string, close: string): string => `${open.repeat(32)}name${close.repeat(32)}`
  it.each<[string, string]>([
    ['parentheses', '('.repeat(4000)],
    ['calls', 'IF('.repeat(1333)],
    ['minus signs', '-'.repeat(4000)],
    ['operators', '1+'.repeat(2000)],
    ['points', `a${'.a'.repeat(1999)}`],
    ['an open text', `"${'\\n'.repeat(1999)}`],
    ['an open comment', `/*${'*'.repeat(3998)}`],
    ['comments', '/**/'.repeat(1000)],
    ['stars and slashes', '/*/'.repeat(1333)],
    ['spaces', ' '.repeat(4000)],
    ['digits', '1'.repeat(4000)],
    ['lines and an error at the end', `${'\n'.repeat(3999)};`],
    ['unknown fields', 'a+'.repeat(249)],
    ['wrong types', `${'TRUE+'.repeat(249)}1`],
    ['NULLs in forms of many types', `CASE(${'NULL,'.repeat(495)}NULL)`],
    ['nested NULLs', nested('IF(NULL,', ',NULL)').replace('name', 'NULL')],
  ])('of %s is refused or compiled in 5 ms', (_, text) => {
    const compile = (): unknown => problemsOf(() => compileRow(text, 'NUMBER'))
    compile()
    const times = Array.from({ length: 5 }, () => {
      const start = performance.now()
      compile()
      return performance.now() - start
    })
    expect(Math.min(...times)).toBeLessThan(5)
  })

  it.each([
    ['POWER in POWER', `POWER(${'POWER('.repeat(31)}9.99${', 10)'.repeat(32)}`, null],
    ['LPAD in LPAD', `LEN(${'LPAD('.repeat(31)}"x"${', 1000000000000000, name)'.repeat(31)})`, 4000],
    ['SUBSTITUTE in SUBSTITUTE', `LEN(${'SUBSTITUTE('.repeat(31)}name${', "x", name)'.repeat(31)})`, 4000],
    ['&', `LEN(${Array.from({ length: 200 }, () => 'name').join(' & ')})`, 4000],
    ['products', Array.from({ length: 250 }, () => '999999999').join('*'), null],
  ])('with %s has a bounded value at once', (_, text, expected) => {
    const formula = compileRow(text, 'NUMBER')
    const start = performance.now()
    expect(formula.evaluate({ name: 'x'.repeat(4000) })).toBe(expected)
    expect(performance.now() - start).toBeLessThan(500)
  })
})
