import { expect, it } from 'vitest'
import { newId } from '../ids.ts'
import { parameterOf } from './parameter.ts'

it('writes ids without quotes, and every other list as pg does', () => {
  const [one, two] = [newId(), newId()]
  expect(parameterOf([one, two])).toBe(`{${one},${two}}`)
  expect(parameterOf([one, 'null'])).toBe(`{"${one}","null"}`)
  expect(parameterOf([one, null])).toBe(`{"${one}",NULL}`)
  expect(parameterOf([`${one},${two}`])).toBe(`{"${one},${two}"}`)
  expect(parameterOf([`${one}\n`])).toBe(`{"${one}\n"}`)
  expect(parameterOf([one.replaceAll('-', ',')])).toBe(`{"${one.replaceAll('-', ',')}"}`)
  expect(parameterOf([])).toBe('{}')
  expect(parameterOf(one)).toBe(one)
  expect(parameterOf(7)).toBe('7')
  expect(parameterOf(null)).toBe(null)
})
