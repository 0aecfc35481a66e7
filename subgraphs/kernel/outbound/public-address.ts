import ipaddr from 'ipaddr.js'

/** Whether the address is a public internet address. Reserved, local and embedded addresses and invalid texts are not. */
export function isPublicAddress(address: string): boolean {
  try {
    return ipaddr.process(address).range() === 'unicast'
  } catch {
    return false
  }
}
