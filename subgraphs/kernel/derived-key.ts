import { hkdfSync } from 'node:crypto'

const derived = new WeakMap<Buffer, Map<string, Buffer>>()

/** A key for one purpose out of the key of the deployment; what is made with it says nothing about any other. */
export function derivedKey(key: Buffer, purpose: string): Buffer {
  let keys = derived.get(key)
  if (!keys) derived.set(key, (keys = new Map<string, Buffer>()))
  let found = keys.get(purpose)
  if (!found) keys.set(purpose, (found = Buffer.from(hkdfSync('sha256', key, '', purpose, 32))))
  return found
}
