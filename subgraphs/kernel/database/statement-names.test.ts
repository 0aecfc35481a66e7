import { expect, it } from 'vitest'
import { charactersKept, runsOnce, statementName } from './statement-names.ts'

it('gives a repeated statement a name, always the same one', () => {
  const text = `select ${Math.random()}`
  expect(statementName(text)).toBe('')
  const name = statementName(text)
  expect(name).toMatch(/^[\w-]{27}$/)
  expect(statementName(text)).toBe(name)
})

it('never names a text of more than 20,000 characters', () => {
  const text = 'x'.repeat(20_001)
  for (const _time of [1, 2, 3]) expect(statementName(text)).toBe('')
  expect([statementName(text.slice(1)), statementName(text.slice(1))]).toEqual(['', expect.stringMatching(/./)])
})

it('neither names nor keeps a text that runs once only', () => {
  const before = charactersKept()
  const text = `select ${Math.random()} ${runsOnce}`
  for (const _time of [1, 2, 3]) expect(statementName(text)).toBe('')
  expect(charactersKept()).toBe(before)
})

it('keeps at most eight million characters of texts', () => {
  for (let number = 0; number < 1000; number++) statementName(`${number} ${'x'.repeat(10_000)}`)
  expect(charactersKept()).toBeLessThanOrEqual(8_000_000)
  expect(statementName(`0 ${'x'.repeat(10_000)}`)).toBe('')
})

it('forgets the least recently used text first', () => {
  const [used, unused] = [`select ${Math.random()}`, `select ${Math.random()}`]
  const names = [used, used, unused, unused].map(statementName)
  for (let number = 0; number < 1600; number++) {
    statementName(`${number} ${'y'.repeat(10_000)}`)
    expect(statementName(used)).toBe(names[1])
  }
  expect(names[3]).not.toBe('')
  expect(statementName(unused)).toBe('')
})
