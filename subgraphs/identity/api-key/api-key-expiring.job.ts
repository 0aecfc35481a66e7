import { dueRecords } from '../due-work/due-records.ts'
import { apiKey } from './api-key.record.ts'
import { expiresSoon, expiresSoonMs } from './api-key.ts'

const type = 'api_key.expiring'

/** Emits `api_key.expiring` for keys that expire within 7 days, once for each time that is set. */
export const apiKeyExpiring = dueRecords(apiKey, {
  name: 'apiKey.expiring',
  cron: '20 * * * *',
  by: 'expiresAt',
  afterMs: -expiresSoonMs,
  of: 'revoked_at is null and expiry_announced_for is distinct from expires_at',
  when: 'r.expires_at > $1',
  decide(previous, now) {
    if (!expiresSoon(previous, new Date(now)) || previous.expiryAnnouncedFor === previous.expiresAt) return null
    return { implied: { expiryAnnouncedFor: previous.expiresAt }, events: [type], action: type }
  },
})
