import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'

type Ip = ipaddr.IPv4 | ipaddr.IPv6
type Block = readonly [Ip, number]

const fourParts = /^\d{1,3}(\.\d{1,3}){3}$/

/** Stricter than ipaddr.js: refuses octal, hexadecimal and shortened IPv4, because programs disagree on their meaning. */
function parseIp(text: string): Ip | null {
  const bare = text.replace(/%.*$/, '')
  if (
    bare.includes(':') ? !ipaddr.IPv6.isValid(bare) : !fourParts.test(bare) || !ipaddr.IPv4.isValidFourPartDecimal(bare)
  ) {
    return null
  }
  return ipaddr.process(bare)
}

/** The canonical form of an address: IPv4-mapped IPv6 becomes IPv4, IPv6 is compressed. Null when the text is not an address. */
export function normaliseAddress(text: string): string | null {
  const address = parseIp(text)
  if (!address) return null
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString()
}

function parseBlock(entry: string): Block | null {
  const [text = '', bits, ...rest] = entry.split('/')
  const address = parseIp(text)
  if (!address || rest.length > 0 || text.includes('%')) return null
  const width = address.kind() === 'ipv4' ? 32 : 128
  if (bits === undefined) return [address, width]
  if (!/^\d{1,3}$/.test(bits)) return null
  // The prefix length of an IPv4-mapped block counts the 96 bits in front of the IPv4 address.
  const length = Number(bits) - (width === 32 && text.includes(':') ? 96 : 0)
  return length >= 0 && length <= width ? [address, length] : null
}

/** Whether the text is an IPv4 address, an IPv6 address or a CIDR block of either. */
export const isAddressEntry = (entry: string): boolean => parseBlock(entry) !== null

const compiled = new WeakMap<readonly string[], readonly Block[]>()

function blocksOf(entries: readonly string[]): readonly Block[] {
  let blocks = compiled.get(entries)
  if (!blocks) {
    blocks = entries.map(parseBlock).filter((block) => block !== null)
    compiled.set(entries, blocks)
  }
  return blocks
}

/** Whether one of `entries` contains the whole block `entry`. */
export function isEntryWithin(entry: string, entries: readonly string[]): boolean {
  const [address, bits] = parseBlock(entry) ?? []
  if (!address || bits === undefined) return false
  return blocksOf(entries).some(
    ([network, length]) => network.kind() === address.kind() && length <= bits && address.match(network, length),
  )
}

/** Whether one of the entries contains the address. Invalid entries contain nothing; an empty list contains no address. */
export function isListed(address: string, entries: readonly string[]): boolean {
  if (entries.length === 0) return false
  const ip = parseIp(address)
  if (!ip) return false
  return blocksOf(entries).some(([network, length]) => network.kind() === ip.kind() && ip.match(network, length))
}

/** Whether an allow-list permits the address. An empty list permits every address. */
export const inAllowList = (address: string, entries: readonly string[]): boolean =>
  entries.length === 0 || isListed(address, entries)

const networks = new LRUCache<string, string>({ max: 10_000 })

/** The key of per-address rate limits: the IPv4 address, or the /64 network of an IPv6 address, because one client owns its whole /64. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address
  let network = networks.get(address)
  if (network === undefined) {
    const [head = '', tail] = address.split('::')
    const groups = head ? head.split(':') : []
    const end = tail ? tail.split(':') : []
    const zeros = tail === undefined ? 0 : 8 - groups.length - end.length
    const whole = [...groups, ...Array<string>(zeros).fill('0'), ...end]
    network = `${whole.slice(0, 4).join(':')}::/64`
    networks.set(address, network)
  }
  return network
}
