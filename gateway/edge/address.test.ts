import { describe, expect, it } from 'vitest'
import { addressKey } from '../../subgraphs/kernel/network/address.ts'
import { clientAddress } from './address.ts'

const from = (peer: string | undefined, forwarded: string | undefined, trusted: readonly string[] = []) =>
  clientAddress({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: peer } }, trusted)

describe('clientAddress', () => {
  it('is the normalised address of the socket', () => {
    expect(from('203.0.113.7', undefined)).toBe('203.0.113.7')
    expect(from('::ffff:203.0.113.7', undefined)).toBe('203.0.113.7')
    expect(from('2001:DB8::0:1', undefined)).toBe('2001:db8::1')
    expect(from(undefined, undefined)).toBe('unknown')
  })

  it('ignores X-Forwarded-For from a peer that is not a trusted proxy', () => {
    expect(from('203.0.113.7', '10.0.0.1')).toBe('203.0.113.7')
    expect(from('203.0.113.7', '10.0.0.1', ['198.51.100.0/24'])).toBe('203.0.113.7')
  })

  it.each([
    ['192.0.2.9', '192.0.2.9'],
    ['10.0.0.1, 192.0.2.9', '192.0.2.9'],
    ['10.0.0.1, 192.0.2.9, 198.51.100.20', '192.0.2.9'],
    ['198.51.100.20, 192.0.2.9', '192.0.2.9'],
    ['192.0.2.9:4711', '192.0.2.9'],
    ['[2001:db8::9]:4711', '2001:db8::9'],
    ['::ffff:192.0.2.9', '192.0.2.9'],
    ['198.51.100.20', '198.51.100.20'],
    ['192.0.2.9, unknown', '198.51.100.10'],
    ['', '198.51.100.10'],
  ])('behind a trusted proxy, takes the right-most untrusted hop of %j', (forwarded, address) => {
    expect(from('198.51.100.10', forwarded, ['198.51.100.0/24'])).toBe(address)
    expect(from('::ffff:198.51.100.10', forwarded, ['198.51.100.0/24'])).toBe(address)
  })

  it('trusts an IPv6 proxy', () => {
    expect(from('2001:db8::1', '192.0.2.9', ['2001:db8::/64'])).toBe('192.0.2.9')
  })
})

describe('addressKey', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::', 'fe80:0:0:0::/64'],
  ])('counts %s as %s', (address, key) => expect(addressKey(address)).toBe(key))
})
