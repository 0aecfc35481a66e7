import { newId } from '../../kernel/ids.ts'
import type { Payload, StoredGrant, Token, Visit } from '../../kernel/credentials/public.ts'
import type { Services } from '../../kernel/request.ts'
import type { SealedColumn } from '../../kernel/secrets/rotate.ts'
import { platformId } from '../../kernel/secrets/vault.ts'

type Store = Pick<Services, 'database' | 'clock' | 'vault'>

export const expiryOf = ({ clock }: Store, lifeSeconds: number): string =>
  new Date(clock.now().getTime() + lifeSeconds * 1000).toISOString()

/** Restricts to tokens of users who may still act; other tokens are treated as missing. */
const joinActiveUser = `
  join identity.app_user u on u.organization_id = t.organization_id and u.id = t.user_id and u.is_active and u.left_at is null
  join identity.organization o on o.id = t.organization_id and o.status <> 'SUSPENDED'
  join identity.oauth_client a on a.id = t.app_id and a.deleted_at is null`

export async function saveToken(store: Store, token: Token): Promise<void> {
  const now = store.clock.now().toISOString()
  const saved = await store.database.query(
    `insert into identity.oauth_token (organization_id, id, kind, token_hash, app_id, user_id, grant_id, scopes, payload,
       created_at, expires_at)
     select coalesce($3, a.organization_id), $1, $2, $4, a.id, coalesce($5, a.owner_id), $6, $7, $8, $9, $10
     from identity.oauth_client a where a.id = $11 and a.deleted_at is null
     returning organization_id`,
    [
      newId(),
      token.kind,
      token.organizationId,
      token.hash,
      token.userId,
      token.grantId,
      [...token.scopes],
      JSON.stringify(token.payload),
      now,
      expiryOf(store, token.lifeSeconds),
      token.appId,
    ],
  )
  if (saved.length === 0) throw new Error('a token was issued to an app that does not exist')
  if (token.organizationId === null) await addInstallation(store, token.appId, null)
}

export async function findToken(store: Store, kind: string, hash: string): Promise<Payload | null> {
  const [row] = await store.database.query<{ payload: Payload; isConsumed: boolean }>(
    `select t.payload, t.consumed_at is not null as "isConsumed" from identity.oauth_token t ${joinActiveUser}
     where t.token_hash = $1 and t.kind = $2 and t.expires_at > $3`,
    [hash, kind, store.clock.now().toISOString()],
  )
  return row ? { ...row.payload, ...(row.isConsumed && { consumed: true }) } : null
}

/** False when another request has consumed the token first. */
export async function consumeToken(store: Store, kind: string, hash: string): Promise<boolean> {
  const consumed = await store.database.query(
    `update identity.oauth_token set consumed_at = $3
     where token_hash = $1 and kind = $2 and consumed_at is null returning id`,
    [hash, kind, store.clock.now().toISOString()],
  )
  return consumed.length > 0
}

export async function removeToken(store: Store, kind: string, hash: string): Promise<void> {
  await store.database.query('delete from identity.oauth_token where token_hash = $1 and kind = $2', [hash, kind])
}

/** The consent that a consumed token belongs to. */
export async function grantOfToken(store: Store, kind: string, hash: string): Promise<string | null> {
  const [row] = await store.database.query<{ grantId: string | null }>(
    'select grant_id as "grantId" from identity.oauth_token where token_hash = $1 and kind = $2',
    [hash, kind],
  )
  return row?.grantId ?? null
}

export const grantColumns =
  't.id, t.app_id as "appId", t.organization_id as "organizationId", t.user_id as "userId", t.scopes'

export async function findGrant(store: Store, id: string): Promise<StoredGrant | null> {
  const [row] = await store.database.query<StoredGrant>(
    `select ${grantColumns}, t.expires_at as "expiresAt"
     from identity.oauth_grant t ${joinActiveUser} where t.id = $1 and t.expires_at > $2`,
    [id, store.clock.now().toISOString()],
  )
  return row ?? null
}

/** Adds the installation of the app in an organization; null: the app's own organization. */
export async function addInstallation(store: Store, appId: string, organizationId: string | null): Promise<void> {
  await store.database.query(
    `insert into identity.oauth_installation (organization_id, id, app_id, created_at, updated_at)
     select coalesce($1, a.organization_id), $2, a.id, $3, $3 from identity.oauth_client a where a.id = $4
     on conflict (organization_id, app_id) do nothing`,
    [organizationId, newId(), store.clock.now().toISOString(), appId],
  )
}

const placeOf = (kind: string, hash: string): string => `identity.oauth_visit ${kind} ${hash}`

export const sealedVisits: SealedColumn = {
  table: 'identity.oauth_visit',
  column: 'sealed',
  key: ['kind', 'visit_hash'],
  organization: null,
  place: (row) => placeOf(String(row.kind), String(row.visit_hash)),
}

export async function saveVisit(store: Store, { kind, hash, payload, lifeSeconds }: Visit): Promise<void> {
  await store.vault.load(platformId)
  const sealed = store.vault.seal(platformId, placeOf(kind, hash), JSON.stringify(payload))
  await store.database.query(
    `insert into identity.oauth_visit (kind, visit_hash, sealed, expires_at) values ($1, $2, $3, $4)
     on conflict (kind, visit_hash) do update set sealed = excluded.sealed, expires_at = excluded.expires_at`,
    [kind, hash, sealed, expiryOf(store, lifeSeconds)],
  )
}

export async function findVisit(store: Store, kind: string, hash: string): Promise<Payload | null> {
  const [row] = await store.database.query<{ sealed: string }>(
    'select sealed from identity.oauth_visit where kind = $1 and visit_hash = $2 and expires_at > $3',
    [kind, hash, store.clock.now().toISOString()],
  )
  if (!row) return null
  await store.vault.load(platformId, row.sealed)
  return JSON.parse(store.vault.open(platformId, placeOf(kind, hash), row.sealed)) as Payload
}

export async function removeVisit(store: Store, kind: string, hash: string): Promise<void> {
  await store.database.query('delete from identity.oauth_visit where kind = $1 and visit_hash = $2', [kind, hash])
}
