import { eachInBatches } from '../../kernel/jobs/each-in-batches.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Draft } from '../../kernel/record/definition.ts'
import { change } from '../../kernel/record/records-of.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { apiKey } from './api-key.record.ts'
import { expiresSoon, expiresSoonMs, type ApiKey } from './api-key.ts'

const batchSize = 200

type Expiring = Pick<ApiKey, 'id' | 'organizationId'> & { readonly expiresAt: string }

/** Emits `api_key.expiring` for keys that expire within 7 days, once for each time that is set. */
export const apiKeyExpiring: Job = {
  name: 'apiKey.expiring',
  cron: '20 * * * *',
  async run(services) {
    const now = services.clock.now()
    await eachInBatches(
      (after: Expiring | null) => expiringKeys(services, now, after),
      ({ organizationId, id }) =>
        change(systemContext(services, organizationId), apiKey, id, (previous) => changeOf(previous, now)),
    )
  },
}

/** Changes nothing if the key was changed after the query, and does not expire soon any longer. */
function changeOf(previous: ApiKey, now: Date): Omit<Draft<ApiKey>, 'previous'> {
  const update = { operation: 'UPDATE', values: {} } as const
  if (!expiresSoon(previous, now) || previous.expiryAnnouncedFor === previous.expiresAt) return update
  const type = 'api_key.expiring'
  return {
    ...update,
    implied: { expiryAnnouncedFor: previous.expiresAt },
    events: [type],
    action: type,
  }
}

function expiringKeys({ database }: Services, now: Date, after: Expiring | null): Promise<Expiring[]> {
  const until = new Date(now.getTime() + expiresSoonMs)
  return database.query<Expiring>(
    `select organization_id as "organizationId", id, expires_at as "expiresAt" from identity.api_key
     where deleted_at is null and revoked_at is null and expiry_announced_for is distinct from expires_at
       and expires_at > $1 and expires_at <= $2 and ($3::timestamptz is null or (expires_at, id) > ($3, $4::uuid))
     order by expires_at, id limit ${batchSize}`,
    [now.toISOString(), until.toISOString(), after?.expiresAt ?? null, after?.id ?? null],
  )
}
