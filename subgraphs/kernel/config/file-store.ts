import { ConfigError } from './config-error.ts'
import { oneOf } from './values.ts'

/** A bucket of a store that speaks the protocol of S3. */
export interface BucketSettings {
  /** Null: the service of AWS in `region`. */
  readonly endpoint: string | null
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Whether the bucket is a part of the path instead of the host name, as most stores that are not AWS need it. */
  readonly isPathStyle: boolean
}

const required = ['FILE_STORE_BUCKET', 'FILE_STORE_KEY_ID', 'FILE_STORE_SECRET'] as const
const bucketForm = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

/** Where the files of organizations are; null: on the disk, in DATA_DIR. */
export function bucketOf(env: NodeJS.ProcessEnv, endpoint: string | null): BucketSettings | null {
  if (oneOf('FILE_STORE', env.FILE_STORE || 'disk', ['disk', 's3']) === 'disk') return null
  const missing = required.filter((name) => !env[name])
  if (missing.length > 0) throw new ConfigError(`FILE_STORE: s3 needs ${missing.join(', ')}.`)
  if (endpoint !== null && !/^https?:\/\/[^/?#@]+\/?$/.test(endpoint))
    throw new ConfigError('FILE_STORE_ENDPOINT must be a URL without a path and without credentials.')
  const bucket = env.FILE_STORE_BUCKET!
  if (!bucketForm.test(bucket)) throw new ConfigError(`FILE_STORE_BUCKET: "${bucket}" must be the name of a bucket.`)
  return {
    endpoint,
    region: env.FILE_STORE_REGION || 'us-east-1',
    bucket,
    accessKeyId: env.FILE_STORE_KEY_ID!,
    secretAccessKey: env.FILE_STORE_SECRET!,
    isPathStyle:
      oneOf('FILE_STORE_PATH_STYLE', env.FILE_STORE_PATH_STYLE || (endpoint ? 'on' : 'off'), ['on', 'off']) === 'on',
  }
}
