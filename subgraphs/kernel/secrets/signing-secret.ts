import { randomBytes } from 'node:crypto'
import type { Row } from '../database/sql.ts'
import type { RequestContext } from '../request.ts'
import type { SealedColumn } from './rotate.ts'
import type { Vault } from './vault.ts'

// Secrets that sign requests, in the tables of their records. After a rotation the one before is valid as well until the overlap ends.

export const overlapHoursMax = 168
const hourMs = 3_600_000

/** A signing secret in the format of Standard Webhooks: the prefix and 32 random bytes in base64. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** The place that both secrets of a record are sealed for. It has no column, because a rotation moves a secret to the other column. */
export const signingSecretPlace =
  (table: string) =>
  (organizationId: string, id: string): string =>
    `${table}/${organizationId}/${id}/secret`

export const sealedSigningColumns = (table: string): readonly SealedColumn[] =>
  ['sealed_secret', 'sealed_previous_secret'].map((column) => ({
    table,
    column,
    key: ['organization_id', 'id'],
    organization: 'organization_id',
    place: (row: Row) => signingSecretPlace(table)(String(row['organization_id']), String(row['id'])),
  }))

export interface SealedSecrets {
  readonly sealedSecret: string | null
  readonly sealedPreviousSecret: string | null
  readonly previousSecretExpiresAt: string | null
}

/** No secret is left of a deleted record. */
export const erasedSecrets = { sealedSecret: null, sealedPreviousSecret: null }

/** What a rotation writes. A secret that was still in an earlier overlap ends at once, so that no more than two are valid. */
export const rotatedSecrets = (
  { vault, clock, caller: { organizationId } }: RequestContext<'vault'>,
  place: ReturnType<typeof signingSecretPlace>,
  { id, sealedSecret }: { readonly id: string; readonly sealedSecret: string | null },
  { secret, overlapHours }: { readonly secret: string; readonly overlapHours: number },
): SealedSecrets => ({
  sealedSecret: vault.seal(organizationId, place(organizationId, id), secret),
  sealedPreviousSecret: overlapHours > 0 ? sealedSecret : null,
  previousSecretExpiresAt: new Date(clock.now().getTime() + overlapHours * hourMs).toISOString(),
})

/** The secrets that are valid at this time, the current one first. */
export const validSecrets = <T extends string | null>(
  current: T,
  previous: T | null,
  previousExpiresAt: string | null,
  now: Date,
): T[] => (previous !== null && Date.parse(previousExpiresAt ?? '') > now.getTime() ? [current, previous] : [current])

/** Opens those that are valid at this time. */
export async function openSigningSecrets(
  vault: Pick<Vault, 'load' | 'open'>,
  place: ReturnType<typeof signingSecretPlace>,
  { organizationId, id, ...sealed }: SealedSecrets & { readonly organizationId: string; readonly id: string },
  now: Date,
): Promise<string[]> {
  const valid = validSecrets(sealed.sealedSecret, sealed.sealedPreviousSecret, sealed.previousSecretExpiresAt, now)
  const secrets: string[] = []
  for (const one of valid) {
    await vault.load(organizationId, one!)
    secrets.push(vault.open(organizationId, place(organizationId, id), one!))
  }
  return secrets
}
