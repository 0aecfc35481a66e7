import { invalid, notFound, type FieldProblem } from '../../../kernel/errors.ts'
import { isId, newId } from '../../../kernel/ids.ts'
import { refusalInSituation } from '../../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../../kernel/request.ts'
import type { SealedColumn } from '../../../kernel/secrets/rotate.ts'
import { platformId } from '../../../kernel/secrets/vault.ts'
import { urlProblems } from '../../webhook/webhook-url.ts'
import type { PushSubscription, PushSubscriptionInput, PushSubscriptions } from './push-subscription.ts'
import { lockOf } from '../../../kernel/database/locks.ts'

/** Devices of one user. */
export const devicesMax = 20
const endpointMax = 2_000

export const keysPlace = (id: string): string => `events.push_subscription/${id}/keys`

export const sealedPushKeys: SealedColumn = {
  table: 'events.push_subscription',
  column: 'keys',
  key: ['organization_id', 'id'],
  organization: null,
  place: ({ id }) => keysPlace(String(id)),
}

const columns = 'id, endpoint, created_at as "createdAt", last_sent_at as "lastSentAt"'

export async function listDevices({ db, caller, settings }: RequestContext): Promise<PushSubscriptions> {
  const data = await db.query<PushSubscription>(
    `select ${columns} from events.push_subscription where organization_id = $1 and user_id = $2 order by created_at desc, id desc`,
    [caller.organizationId, caller.userId],
  )
  return { data, publicKey: settings.vapid?.publicKey ?? null }
}

/** Subscribes a device. An endpoint that the user has subscribed gets the new keys. */
export async function subscribeDevice(
  ctx: RequestContext<'vault' | 'outbound'>,
  input: PushSubscriptionInput,
): Promise<PushSubscription> {
  const problems = await problemsOf(ctx, input)
  if (problems.length > 0) throw invalid(...problems)
  const { endpoint, keys } = input
  return inTransaction(ctx, async ({ db, caller, clock, vault }) => {
    const own = [caller.organizationId, caller.userId]
    // Subscriptions of a user wait for each other, so that the limit holds.
    await db.query(`select pg_advisory_xact_lock(${lockOf('pushSubscriptions')})`, [own.join()])
    const known = await db.query<{ id: string; endpoint: string }>(
      'select id, endpoint from events.push_subscription where organization_id = $1 and user_id = $2',
      own,
    )
    const same = known.find((one) => one.endpoint === endpoint)
    if (!same && known.length >= devicesMax)
      throw refusalInSituation(`You have ${devicesMax} devices; delete one before you add another.`)
    const id = same?.id ?? newId()
    const sealed = vault.seal(platformId, keysPlace(id), JSON.stringify({ p256dh: keys.p256dh, auth: keys.auth }))
    const [row] = await db.query<PushSubscription>(
      `insert into events.push_subscription (organization_id, id, user_id, endpoint, keys, created_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (organization_id, id) do update set keys = excluded.keys returning ${columns}`,
      [caller.organizationId, id, caller.userId, endpoint, sealed, clock.now().toISOString()],
    )
    return row!
  })
}

export async function unsubscribeDevice({ db, caller }: RequestContext, id: string): Promise<string> {
  const rows = isId(id)
    ? await db.query(
        'delete from events.push_subscription where organization_id = $1 and user_id = $2 and id = $3 returning 1',
        [caller.organizationId, caller.userId, id],
        'WRITE',
      )
    : []
  if (rows.length === 0) throw notFound('The push subscription')
  return id.toLowerCase()
}

const isBase64Url = (text: string): boolean => /^[A-Za-z0-9_-]+={0,2}$/.test(text)

function keyProblems(path: string, text: string, bytes: number, what: string): FieldProblem[] {
  const key = isBase64Url(text) && text.length < 200 ? Buffer.from(text, 'base64url') : null
  const isPoint = bytes !== 65 || key?.[0] === 4
  return key?.length === bytes && isPoint
    ? []
    : [{ path, code: 'WRONG_FORMAT', message: `${path} must be ${what} in base64url.` }]
}

async function problemsOf(
  { outbound }: RequestContext<'outbound'>,
  { endpoint, keys }: PushSubscriptionInput,
): Promise<FieldProblem[]> {
  const address =
    endpoint.length > endpointMax
      ? [{ path: 'endpoint', code: 'TOO_LONG', message: `endpoint must have at most ${endpointMax} characters.` }]
      : (await urlProblems(outbound, endpoint)).map(({ code, message }) => ({
          path: 'endpoint',
          code,
          message: message.replace(/^url/, 'endpoint'),
        }))
  return [
    ...address,
    ...keyProblems('keys.p256dh', keys.p256dh, 65, 'an uncompressed P-256 public key of 65 bytes'),
    ...keyProblems('keys.auth', keys.auth, 16, 'a secret of 16 bytes'),
  ]
}
