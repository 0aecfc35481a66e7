import ipaddr from 'ipaddr.js'

/** Whether anybody on the internet could have this address. Anything reserved, local, embedded or unreadable is not public. */
export function isPublicAddress(address: string): boolean {
  try {
    return ipaddr.process(address).range() === 'unicast'
  } catch {
    return false
  }
}
