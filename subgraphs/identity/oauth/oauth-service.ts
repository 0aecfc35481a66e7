import { addressKey } from '../../kernel/network/address.ts'
import { Refusal } from '../../kernel/errors.ts'
import { anonymous, type Caller } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import type {
  Client,
  Credentials,
  Grant,
  Membership,
  NewGrant,
  OAuthPort,
  Registration,
  Visitor,
} from '../../kernel/credentials/public.ts'
import { insertRow, writeChange } from '../../kernel/record/write-change.ts'
import { inTransaction, requestContext, systemContext, type Services, portsOf } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { identityPorts } from '../context.ts'
import { actingAs } from '../session/session.actions.ts'
import { recognize } from '../session/login.ts'
import { failed, refuseThrottled } from '../session/throttle.ts'
import { findUser, type User } from '../user/user.ts'
import { endGrant } from './end-grants.ts'
import { grantChanges } from './grant.events.ts'
import { createOAuthApp } from './oauth-app.actions.ts'
import * as store from './oauth-store.ts'

const contextOf = (services: Services, caller: Caller): IdentityContext =>
  requestContext({ caller, requestId: newId(), idempotency: null }, services, {
    ports: portsOf(services, identityPorts),
    db: services.database,
  })

/** By the sign-in's own rules, throttles and timing; organizations that are suspended cannot be chosen. */
async function signIn(services: Services, visitor: Visitor, credentials: Credentials): Promise<Membership[]> {
  const users = await recognize(contextOf(services, anonymous(visitor)), credentials)
  const organizations = await services.database.query<{ id: string; name: string }>(
    `select id, name from identity.organization where id = any($1::uuid[]) and status <> 'SUSPENDED'`,
    [users.map(({ organizationId }) => organizationId)],
  )
  const names = new Map(organizations.map(({ id, name }) => [id, name]))
  return users.flatMap(({ id: userId, organizationId, signInGeneration }) => {
    const organizationName = names.get(organizationId)
    return organizationName === undefined ? [] : { organizationId, organizationName, userId, signInGeneration }
  })
}

/** The user who signed in on the page, as long as that sign-in is not over; whoever ends it waits for this transaction. */
async function lockSignedIn(ctx: IdentityContext, grant: NewGrant): Promise<User> {
  const { organizationId, userId, signInGeneration } = grant
  const found = await ctx.db.query(
    `select 1 from identity.app_user u join identity.organization o on o.id = u.organization_id
     where u.organization_id = $1 and u.id = $2 and u.sign_in_generation = $3 and u.is_active and u.left_at is null
       and o.status <> 'SUSPENDED'
     for share of u`,
    [organizationId, userId, signInGeneration],
  )
  if (found.length === 0) throw new Refusal('UNAUTHENTICATED', 'This sign-in is over; sign in again.')
  return (await findUser(ctx.db, organizationId, userId))!
}

/** Saves the consent and writes it to the audit log of the organization, as the user who gave it. */
async function consent(services: Services, visitor: Visitor, grant: NewGrant): Promise<void> {
  const { id, appId, organizationId, userId, scopes, lifeSeconds } = grant
  await inTransaction(contextOf(services, anonymous(visitor)), async (stranger) => {
    const inner = actingAs(stranger, await lockSignedIn(stranger, grant))
    const row = {
      organization_id: organizationId,
      id,
      app_id: appId,
      user_id: userId,
      scopes: [...scopes],
      created_at: services.clock.now().toISOString(),
      expires_at: store.endOf(services, lifeSeconds),
    }
    const onConflict =
      'on conflict (organization_id, id) do update set scopes = excluded.scopes, expires_at = excluded.expires_at'
    await writeChange(inner, grantChanges, { operation: 'CREATE', previous: null, next: grant }, (values) =>
      insertRow(values, 'identity.oauth_grant', row, onConflict),
    )
    await store.install({ ...services, database: inner.db }, appId, organizationId)
  })
}

/** Ends a consent because the app did, or because somebody used what was used before; nobody who is signed in does this. */
function removeGrant(services: Services, id: string): Promise<void> {
  return services.database.transaction(async (db) => {
    const [grant] = await db.query<Grant>(
      `select ${store.grantColumns} from identity.oauth_grant t where t.id = $1 for update`,
      [id],
    )
    if (!grant) return
    await endGrant({ ...systemContext(services, grant.organizationId), db }, grant)
    await db.query('delete from identity.oauth_token where organization_id = $1 and grant_id = $2', [
      grant.organizationId,
      id,
    ])
  })
}

async function findClient(services: Services, id: string): Promise<Client | null> {
  const [row] = await services.database.query<Client>(
    `select a.id, a.name, a.type, a.redirect_uris as "redirectUris", a.scopes, a.secret_hash as "secretHash"
     from identity.oauth_app a join identity.organization o on o.id = a.organization_id and o.status <> 'SUSPENDED'
     where a.id = $1 and a.deleted_at is null`,
    [id],
  )
  return row ?? null
}

/**
 * The name under which failures of a client are counted, beside those of accounts. Whoever knows a client's id fails for it,
 * so the count is that of one address: it shuts out nobody else, and 256 bits need no more.
 */
const clientAccount = ({ ip }: Visitor, id: string): string => `oauth client ${id} ${addressKey(ip)}`

const admitClient = (services: Services, visitor: Visitor, id: string): Promise<void> =>
  refuseThrottled(contextOf(services, anonymous(visitor)), clientAccount(visitor, id))

async function clientFailed(services: Services, visitor: Visitor, id: string): Promise<void> {
  const wrong = new Refusal('UNAUTHENTICATED', 'The client or its secret is wrong.')
  const refusal = await failed(contextOf(services, anonymous(visitor)), clientAccount(visitor, id), wrong)
  if (refusal !== wrong) throw refusal
}

/** The app becomes one of the caller's, with the rules of every other app. */
async function register(services: Services, caller: Caller, registration: Registration): Promise<void> {
  const { id, secret, redirectUris, scopes, ...rest } = registration
  await createOAuthApp(contextOf(services, caller), {
    ...rest,
    id,
    redirectUris: [...redirectUris],
    scopes: [...scopes],
    ...(secret !== undefined && { secret }),
  })
}

async function mayAct(services: Services, organizationId: string, userId: string): Promise<boolean> {
  return (await findUser(services.database, organizationId, userId))?.isActive ?? false
}

/** Everything that an authorization server needs of identity. */
export const oauthService = (services: Services): OAuthPort => ({
  signIn: (visitor, credentials) => signIn(services, visitor, credentials),
  consent: (visitor, grant) => consent(services, visitor, grant),
  mayAct: (organizationId, userId) => mayAct(services, organizationId, userId),
  findClient: (id) => findClient(services, id),
  admitClient: (visitor, id) => admitClient(services, visitor, id),
  clientFailed: (visitor, id) => clientFailed(services, visitor, id),
  register: (caller, registration) => register(services, caller, registration),
  saveToken: (token) => store.saveToken(services, token),
  findToken: (kind, hash) => store.findToken(services, kind, hash),
  consumeToken: (kind, hash) => store.consumeToken(services, kind, hash),
  removeToken: (kind, hash) => store.removeToken(services, kind, hash),
  grantOfToken: (kind, hash) => store.grantOfToken(services, kind, hash),
  findGrant: (id) => store.findGrant(services, id),
  removeGrant: (id) => removeGrant(services, id),
  saveVisit: (visit) => store.saveVisit(services, visit),
  findVisit: (kind, hash) => store.findVisit(services, kind, hash),
  removeVisit: (kind, hash) => store.removeVisit(services, kind, hash),
})
