import { newApiKey } from '../../kernel/credentials/public.ts'
import { invalid } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireRightToActAs } from '../credential/owner-guard.ts'
import { statusOf, type ApiKey } from './api-key.ts'
import { keyRefusal } from './api-key.states.ts'
import { changeKey } from './change-key.ts'

const overlapHoursMax = 168
export const overlapHoursDefault = 24
const hourMs = 3_600_000

/**
 * Gives a key a new secret; everything else is unchanged. The former secret works until the overlap ends. A secret that was still in
 * an earlier overlap ends at once, so a key never has more than two. Concurrent rotations of a key are serialized.
 */
export async function rotateApiKey(ctx: RequestContext, id: string, overlapHours: number): Promise<ApiKey> {
  if (overlapHours < 0 || overlapHours > overlapHoursMax) {
    const message = `overlapHours must be between 0 and ${overlapHoursMax}.`
    throw invalid({ path: 'overlapHours', code: 'OUT_OF_RANGE', message })
  }
  const now = ctx.clock.now()
  const { secret, prefix, hash } = newApiKey()
  const previousSecretExpiresAt = new Date(now.getTime() + overlapHours * hourMs).toISOString()
  const beforeChange = async (inner: RequestContext, previous: ApiKey) => {
    await requireRightToActAs(inner, previous.ownerId)
    await keepFormerSecret(inner, previous, now.toISOString())
  }
  const key = await changeKey(ctx, id, { beforeChange }, async (previous) => {
    const status = statusOf(previous, now)
    if (status !== 'ACTIVE' && status !== 'ROTATING')
      throw await keyRefusal(ctx, previous, 'The API key must be ACTIVE or ROTATING to be rotated.')
    return {
      operation: 'UPDATE',
      values: { prefix, secretHash: hash, previousSecretExpiresAt },
      events: ['api_key.rotated'],
      action: 'api_key.rotated',
    }
  })
  return { ...key, secret }
}

async function keepFormerSecret({ caller, db }: RequestContext, key: ApiKey, now: string): Promise<void> {
  const { organizationId } = caller
  await db.query(
    `update identity.api_key_former_secret set superseded_at = $3
     where organization_id = $1 and api_key_id = $2 and superseded_at is null`,
    [organizationId, key.id, now],
  )
  await db.query(
    `insert into identity.api_key_former_secret (organization_id, id, api_key_id, secret_hash, created_at)
     values ($1, $2, $3, $4, $5)`,
    [organizationId, newId(), key.id, key.secretHash, now],
  )
}
