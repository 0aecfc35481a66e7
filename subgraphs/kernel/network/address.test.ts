import { describe, expect, it } from 'vitest'
import { inAllowList, isAddressEntry, isEntryWithin, isListed, normaliseAddress } from './address.ts'

describe('normaliseAddress', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::1', '::1'],
  ])('writes %s as %s', (text, written) => expect(normaliseAddress(text)).toBe(written))

  it.each(['', 'localhost', '1.2.3', '0x7f.0.0.1', '0177.0.0.1', '256.1.1.1', '1.2.3.4:80', '[::1]', '::g'])(
    'returns null for %j',
    (text) => expect(normaliseAddress(text)).toBeNull(),
  )
})

describe('inAllowList', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7', '203.0.113.0/24'],
    ['203.0.113.7', '203.0.113.200/24'],
    ['203.0.113.7', '0.0.0.0/0'],
    ['203.0.113.7', '::ffff:203.0.113.7'],
    ['203.0.113.7', '::ffff:203.0.113.0/120'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['2001:db8::7', '2001:0db8:0000::0007'],
    ['2001:db8:1:2::7', '2001:db8::/32'],
    ['2001:db8::7', '::/0'],
  ])('finds %s in %s', (address, entry) => expect(inAllowList(address, ['198.51.100.1', entry])).toBe(true))

  it.each([
    ['203.0.113.7', '203.0.113.8'],
    ['203.0.114.7', '203.0.113.0/24'],
    ['2001:db9::7', '2001:db8::/32'],
    ['203.0.113.7', '::/0'],
    ['2001:db8::7', '0.0.0.0/0'],
    ['203.0.113.7', 'not an address'],
    ['', '0.0.0.0/0'],
  ])('does not find %s in %s', (address, entry) => expect(inAllowList(address, [entry])).toBe(false))

  it('permits every address when it is empty, unlike a list of trusted proxies', () => {
    expect(inAllowList('203.0.113.7', [])).toBe(true)
    expect(isListed('203.0.113.7', [])).toBe(false)
  })
})

describe('isEntryWithin', () => {
  it.each([
    ['10.0.0.0/16', '10.0.0.0/16'],
    ['10.0.4.0/24', '10.0.0.0/16'],
    ['10.0.4.1', '10.0.0.0/16'],
    ['10.0.4.1/32', '10.0.4.1'],
    ['::ffff:10.0.4.0/120', '10.0.0.0/16'],
    ['2001:db8:1::/48', '2001:db8::/32'],
  ])('finds %s in %s', (entry, other) => expect(isEntryWithin(entry, ['192.0.2.1', other])).toBe(true))

  it.each([
    ['10.0.0.0/15', '10.0.0.0/16'],
    ['10.1.0.0/24', '10.0.0.0/16'],
    ['0.0.0.0/0', '10.0.0.0/16'],
    ['10.0.0.1', '::/0'],
    ['not an address', '0.0.0.0/0'],
  ])('does not find %s in %s', (entry, other) => expect(isEntryWithin(entry, [other])).toBe(false))
})

describe('isAddressEntry', () => {
  it.each(['203.0.113.7', '203.0.113.0/24', '0.0.0.0/0', '2001:db8::1', '2001:db8::/32', '::ffff:10.0.0.0/104'])(
    'accepts %s',
    (entry) => expect(isAddressEntry(entry)).toBe(true),
  )

  it.each([
    '',
    '*',
    'example.com',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '2001:db8::/129',
    'fe80::1%eth0',
    '::ffff:10.0.0.0/24',
  ])('refuses %j', (entry) => expect(isAddressEntry(entry)).toBe(false))
})
