import { describe, expect, it } from 'vitest'
import { exactNumber } from '../json/exact-number.ts'
import { cases, caseRow, zeroCases } from './cases.fixture.ts'
import { compileRow, moment, Rows } from './formula.fixture.ts'
import { functions } from './functions.ts'

const [row] = new Rows([caseRow]).records
const value = (expected: unknown, type: string): unknown =>
  type === 'NUMBER' && typeof expected === 'string' ? exactNumber(expected) : expected

describe('the evaluator in JavaScript', () => {
  it.each(cases)('gives a %s for %s: %j', (type, text, expected) => {
    expect(compileRow(text, type).evaluate(row!, moment)).toEqual(value(expected, type))
  })

  it.each(zeroCases)('with blanks as zero, gives a %s for %s: %j', (type, text, expected) => {
    expect(compileRow(text, type, { blankAs: 'ZERO' }).evaluate(row!, moment)).toEqual(value(expected, type))
  })

  it('is tried with every function and operator', () => {
    const texts = cases.map(([, text]) => text)
    const isTried = (name: string): boolean =>
      texts.some((text) => (/^[A-Z]/.test(name) ? new RegExp(`\\b${name}\\(`).test(text) : text.includes(` ${name} `)))
    expect(Object.keys(functions).filter((name) => !isTried(name))).toEqual([])
  })
})
