import { describe, expect, it } from 'vitest'
import { quotedName } from './quoted-name.ts'

describe('quotedName', () => {
  it.each([
    ['Acme Inc.', '“Acme Inc.”'],
    ['Fjordline A/S'.replace('/', ''), '“Fjordline AS”'],
    ['  Jörg\r\n\r\nO’Neil ', '“Jörg O’Neil”'],
    ['Ann" <b>', '“Ann <b>”'],
    ['Ann\u202e eel', '“Ann eel”'],
    ['a'.repeat(41), `“${'a'.repeat(40)}…”`],
  ])('shows %j as %s', (name, shown) => {
    expect(quotedName(name)).toBe(shown)
  })

  it.each([
    'Your account is locked, visit http://evil.example',
    'evil.example',
    'Go to evil.\u200bexample/now',
    'evil．example',
    'evil。example',
    'WWW evil example',
    'ann@evil.example',
    'Call +1 (800) 555-01 99',
    '\u0000\u200b ',
  ])('does not show %j', (name) => {
    expect(quotedName(name)).toBeNull()
  })
})
