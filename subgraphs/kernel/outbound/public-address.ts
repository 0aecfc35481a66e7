import { BlockList, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Global unicast addresses and IPv4-mapped ones, which are judged by their IPv4 address. All other IPv6 addresses are reserved or local. */
const addressable = new BlockList()
addressable.addSubnet('2000::', 3, 'ipv6')
addressable.addSubnet('::ffff:0:0', 96, 'ipv6')

/** Whether the address is a public internet address. Reserved, local and embedded addresses and invalid texts are not. */
export function isPublicAddress(address: string): boolean {
  try {
    // ipaddr.js reads an IPv4-compatible address (`::10.0.0.1`) as an IPv4-mapped or as a global one, depending on how it is written.
    if (isIPv6(address) && !addressable.check(address, 'ipv6')) return false
    return ipaddr.process(address).range() === 'unicast'
  } catch {
    return false
  }
}
