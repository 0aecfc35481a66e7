import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { newId } from '../ids.ts'
import { readSignedToken, signedToken } from './signed-token.ts'

const keys = { encryption: randomBytes(32) }
const content = { organizationId: newId(), id: newId(), number: 65_535 }
const token = signedToken(keys, 'a purpose', content)

it('names what was signed, in 67 characters', () => {
  expect(token).toMatch(/^[\w-]{67}$/)
  expect(readSignedToken(keys, 'a purpose', token)).toEqual(content)
})

it('is not valid for another purpose or with another key', () => {
  expect(readSignedToken(keys, 'another purpose', token)).toBeNull()
  expect(readSignedToken({ encryption: randomBytes(32) }, 'a purpose', token)).toBeNull()
})

it('is not valid with any other character', () => {
  const accepted = Array.from(token, (character, index) => {
    const other = `${token.slice(0, index)}${character === 'A' ? 'g' : 'A'}${token.slice(index + 1)}`
    return readSignedToken(keys, 'a purpose', other)
  }).filter((found) => found !== null)
  expect(accepted).toEqual([])
  const lasts = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
  const forms = lasts.map((last) => token.slice(0, -1) + last)
  expect(forms.filter((form) => readSignedToken(keys, 'a purpose', form) !== null)).toEqual([token])
  for (const bad of ['', 'a', `${token}A`, token.slice(1), `${token.slice(1)}=`])
    expect(readSignedToken(keys, 'a purpose', bad)).toBeNull()
})
