import { hkdfSync } from 'node:crypto'

const derived = new WeakMap<Buffer, Map<string, Buffer>>()

/** Derives a key for one purpose from the key of the deployment (HKDF). A leaked derived key reveals no other key. */
export function derivedKey(key: Buffer, purpose: string): Buffer {
  let keys = derived.get(key)
  if (!keys) derived.set(key, (keys = new Map<string, Buffer>()))
  let found = keys.get(purpose)
  if (!found) keys.set(purpose, (found = Buffer.from(hkdfSync('sha256', key, '', purpose, 32))))
  return found
}
