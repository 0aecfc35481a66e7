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
import { authenticate } from '../session/login.ts'
import { countFailure, refuseThrottled } from '../session/throttle.ts'
import { findUser, type User } from '../user/user.ts'
import { endGrant } from './end-grants.ts'
import { grantChanges } from './grant.events.ts'
import { createOAuthApp } from './oauth-app.actions.ts'
import * as store from './oauth-store.ts'
import { admitOpenClient, registerOpenClient } from './open-client.ts'

const contextOf = (services: Services, caller: Caller): IdentityContext =>
  requestContext({ caller, requestId: newId(), idempotency: null }, services, {
    ports: portsOf(services, identityPorts),
    db: services.database,
  })

/** Signs in with the same checks, throttling and response times as `login`. Suspended organizations are left out. */
async function signIn(services: Services, visitor: Visitor, credentials: Credentials): Promise<Membership[]> {
  const users = await authenticate(contextOf(services, anonymous(visitor)), credentials)
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

/** The user who signed in on the page. Throws when that sign-in has ended. A concurrent end of it waits for this transaction. */
async function lockSignedIn(ctx: IdentityContext, grant: NewGrant): Promise<User> {
  const { organizationId, userId, signInGeneration } = grant
  const found = await ctx.db.query(
    `select 1 from identity.app_user u join identity.organization o on o.id = u.organization_id
     where u.organization_id = $1 and u.id = $2 and u.sign_in_generation = $3 and u.is_active and u.left_at is null
       and o.status <> 'SUSPENDED'
     for share of u`,
    [organizationId, userId, signInGeneration],
  )
  if (found.length === 0) throw new Refusal('UNAUTHENTICATED', 'This sign-in has ended; sign in again.')
  return (await findUser(ctx.db, organizationId, userId))!
}

/** Saves the consent and writes it to the audit log of the organization, as the user who gave it. */
async function consent(services: Services, visitor: Visitor, grant: NewGrant): Promise<void> {
  const { id, appId, organizationId, userId, scopes, lifeSeconds } = grant
  await inTransaction(contextOf(services, anonymous(visitor)), async (stranger) => {
    const inner = actingAs(stranger, await lockSignedIn(stranger, grant))
    await admitOpenClient(inner, appId)
    const row = {
      organization_id: organizationId,
      id,
      app_id: appId,
      user_id: userId,
      scopes: [...scopes],
      created_at: services.clock.now().toISOString(),
      expires_at: store.expiryOf(services, lifeSeconds),
    }
    const onConflict =
      'on conflict (organization_id, id) do update set scopes = excluded.scopes, expires_at = excluded.expires_at'
    await writeChange(inner, grantChanges, { operation: 'CREATE', previous: null, next: grant }, (values) =>
      insertRow(values, 'identity.oauth_grant', row, onConflict),
    )
    await store.addInstallation({ ...services, database: inner.db }, appId, organizationId)
  })
}

/** Ends a consent, because the app revoked it or because a code or token was reused. The system is the caller: no user is signed in. */
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
    `select a.id, a.name, a.type, a.redirect_uris as "redirectUris", a.scopes, a.secret_hash as "secretHash", a.is_open as "isOpen"
     from identity.oauth_client a left join identity.organization o on o.id = a.organization_id
     where a.id = $1 and a.deleted_at is null and (a.is_open or o.status <> 'SUSPENDED')`,
    [id],
  )
  return row ?? null
}

/**
 * The account name for counting failures of a client. It contains the IP address, because everybody can know a client's id: failures
 * from one address must not lock out others. A limit for all addresses is not needed for a secret of 256 bits.
 */
const clientAccount = ({ ip }: Visitor, id: string): string => `oauth client ${id} ${addressKey(ip)}`

const checkClientThrottle = (services: Services, visitor: Visitor, id: string): Promise<void> =>
  refuseThrottled(contextOf(services, anonymous(visitor)), clientAccount(visitor, id))

async function countClientFailure(services: Services, visitor: Visitor, id: string): Promise<void> {
  const wrong = new Refusal('UNAUTHENTICATED', 'The client id or the client secret is wrong.')
  const refusal = await countFailure(contextOf(services, anonymous(visitor)), clientAccount(visitor, id), wrong)
  if (refusal !== wrong) throw refusal
}

/** Creates an app of the caller, with the same checks as `oauthAppCreate`. */
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

/** The functions of identity that the authorization server uses. */
export const oauthService = (services: Services): OAuthPort => ({
  signIn: (visitor, credentials) => signIn(services, visitor, credentials),
  consent: (visitor, grant) => consent(services, visitor, grant),
  mayAct: (organizationId, userId) => mayAct(services, organizationId, userId),
  findClient: (id) => findClient(services, id),
  checkClientThrottle: (visitor, id) => checkClientThrottle(services, visitor, id),
  countClientFailure: (visitor, id) => countClientFailure(services, visitor, id),
  register: (caller, registration) => register(services, caller, registration),
  registerOpen: (registration) => registerOpenClient(services, registration),
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
