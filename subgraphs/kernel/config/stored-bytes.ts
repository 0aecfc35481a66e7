import { megabytesOf } from './values.ts'

export interface StoredBytesLimits {
  /** Bytes that one organization may write in an hour; null: any number. */
  readonly organization: number | null
  /** Bytes that all organizations together may write in an hour. */
  readonly all: number | null
  /** Bytes that one organization may keep. */
  readonly kept: number | null
}

export const storedBytesOf = (env: Readonly<Record<string, string | undefined>>): StoredBytesLimits => ({
  organization: megabytesOf('STORED_MB_PER_HOUR', env['STORED_MB_PER_HOUR'] || '4096'),
  all: megabytesOf('STORED_MB_PER_HOUR_ALL', env['STORED_MB_PER_HOUR_ALL'] || '20480'),
  kept: megabytesOf('STORED_MB_MAX', env['STORED_MB_MAX'] || '102400'),
})
