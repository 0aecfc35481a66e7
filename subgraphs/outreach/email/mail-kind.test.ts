import { describe, expect, it } from 'vitest'
import { kindOf } from './mail-kind.ts'

const kindWith = (name: string, value: string) =>
  kindOf({ headers: new Map([[name.toLowerCase(), value]]), subject: 'Dock slots', from: 'ida@customer.example' })

describe('the kind of a received mail', () => {
  it.each([
    ['Auto-Submitted', 'auto-replied'],
    ['Precedence', 'auto_reply'],
    ['X-Autoreply', 'yes'],
    ['X-Autorespond', ''],
    ['X-Auto-Response-Suppress', 'All'],
    ['X-Auto-Response-Suppress', 'DR, OOF, AutoReply'],
    ['X-Auto-Response-Suppress', 'oof'],
  ])('is AUTO_REPLY with %s: %s', (name, value) => expect(kindWith(name, value)).toBe('AUTO_REPLY'))

  it.each([
    ['Auto-Submitted', 'no'],
    ['Precedence', 'first-class'],
    ['X-Auto-Response-Suppress', 'None'],
    ['X-Auto-Response-Suppress', 'DR, NDR, RN, NRN'],
    ['X-Auto-Response-Suppress', ''],
  ])('is MAIL with %s: %s', (name, value) => expect(kindWith(name, value)).toBe('MAIL'))
})
