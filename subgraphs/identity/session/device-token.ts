import { createHmac, timingSafeEqual } from 'node:crypto'
import { derivedKey } from '../../kernel/secrets/derived-key.ts'
import type { IdentityContext } from '../context.ts'

const lifeSeconds = 180 * 86_400
const form = /^(\d{1,12})\.([\w-]{43})$/

type Signing = Pick<IdentityContext, 'keys' | 'clock'>

const secondsOf = ({ clock }: Signing): number => Math.floor(clock.now().getTime() / 1000)

const signature = ({ keys }: Signing, email: string, issued: string): Buffer =>
  createHmac('sha256', derivedKey(keys.encryption, 'device')).update(`${issued} ${email}`).digest()

/** A token for a device that has just signed in to the account of the address. It only affects throttling and grants no access. */
export function newDeviceToken(signing: Signing, email: string): string {
  const issued = String(secondsOf(signing))
  return `${issued}.${signature(signing, email, issued).toString('base64url')}`
}

/** Whether the device has signed in to the account of this address in the last 180 days. */
export function isKnownDevice(signing: Signing, email: string, token: string | null | undefined): boolean {
  const [, issued, given] = form.exec(token ?? '') ?? []
  if (issued === undefined || given === undefined) return false
  const isRecent = Number(issued) + lifeSeconds > secondsOf(signing)
  const [mac, expected] = [Buffer.from(given, 'base64url'), signature(signing, email, issued)]
  return isRecent && mac.length === expected.length && timingSafeEqual(mac, expected)
}
