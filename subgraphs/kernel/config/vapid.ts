import { ConfigError } from './config-error.ts'

/** The keys of the platform for push services (RFC 8292), in base64url. */
export interface VapidKeys {
  readonly publicKey: string
  readonly privateKey: string
  /** Address of the operator: `mailto:` or `https:`. */
  readonly subject: string
}

const isKey = (text: string, bytes: number): boolean =>
  /^[A-Za-z0-9_-]+$/.test(text) && Buffer.from(text, 'base64url').length === bytes

/** Both keys, in base64url as `npx web-push generate-vapid-keys` prints them, or none. */
export function vapidOf(env: NodeJS.ProcessEnv): VapidKeys | null {
  const { VAPID_PUBLIC_KEY: publicKey = '', VAPID_PRIVATE_KEY: privateKey = '' } = env
  if (!publicKey && !privateKey) return null
  if (!isKey(publicKey, 65))
    throw new ConfigError('VAPID_PUBLIC_KEY must be a P-256 public key of 65 bytes in base64url.')
  if (!isKey(privateKey, 32))
    throw new ConfigError('VAPID_PRIVATE_KEY must be the P-256 private key of VAPID_PUBLIC_KEY, 32 bytes in base64url.')
  const subject = env.VAPID_SUBJECT || ''
  if (!/^(?:https:\/\/|mailto:)\S+$/.test(subject))
    throw new ConfigError(
      'VAPID_SUBJECT must be a mailto: or https: address at which push services reach the operator.',
    )
  return { publicKey, privateKey, subject }
}
