import { readFileSync } from 'node:fs'
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

describe('the README', () => {
  it('lists every function and operator with its numbers of arguments', () => {
    const text = readFileSync(new URL('README.md', import.meta.url), 'utf8')
    const listed = new Map<string, Set<number>>()
    for (const [, name, args] of text.matchAll(/`([A-Z]+)\(([^)`]*)\)`/g)) {
      const count = args === '' ? 0 : args!.split(',').length
      listed.set(name!, (listed.get(name!) ?? new Set()).add(count))
    }
    for (const [name, forms] of Object.entries(functions)) {
      if (!/^[A-Z]/.test(name)) expect(text).toContain(`\`${name.replaceAll('|', '\\|')}\``)
      else if (!forms.some(({ repeats }) => repeats))
        for (const { takes } of forms) expect([name, listed.get(name)?.has(takes.length)]).toEqual([name, true])
      else expect([name, listed.has(name)]).toEqual([name, true])
    }
  })
})
