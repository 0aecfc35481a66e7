import { visibleAddresses } from '../../crm/public.ts'
import { actorIdOf } from '../../kernel/context.ts'
import { notFound, Refusal } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'

export interface ListedAddress {
  readonly email: string
  readonly reason: string
  readonly messageId: string | null
  readonly createdAt: string
}

interface Row extends ListedAddress {
  readonly createdById: string | null
}

interface Page {
  /** Only this address; null: all. */
  readonly only: string | null
  readonly after: string
  readonly limit: number
}

/** Addresses that one page examines at most. */
const examinedMax = 1000

const isAdministrator = ({ caller }: RequestContext): boolean => caller.role === 'OWNER' || caller.role === 'ADMIN'

/** Those that the caller may know: administrators all, others what they added and what contacts and leads show them. */
async function known(ctx: RequestContext, rows: readonly Row[]): Promise<readonly Row[]> {
  if (isAdministrator(ctx)) return rows
  const own = actorIdOf(ctx.caller)
  const isOwn = ({ createdById }: Row) => createdById !== null && createdById === own
  const others = rows.filter((row) => !isOwn(row)).map(({ email }) => email)
  const seen = await visibleAddresses(ctx, others)
  return rows.filter((row) => isOwn(row) || seen.has(row.email))
}

const readSuppressions = ({ db, caller }: RequestContext, { only, after, limit }: Page): Promise<Row[]> =>
  db.query<Row & Record<string, unknown>>(
    `select email, reason, message_id as "messageId", created_at as "createdAt", created_by_id as "createdById"
     from outreach.suppressed_address
     where organization_id = $1 and email > $2 and ($3::text is null or email = $3) order by email limit $4`,
    [caller.organizationId, after, only, limit],
    'LIST',
  )

/** The next addresses of the list. `nextCursor` is where the next page begins; null if no more follow. */
export async function suppressionPage(
  ctx: RequestContext,
  page: Page,
): Promise<{ data: ListedAddress[]; nextCursor: string | null }> {
  const size = page.limit + 1
  const data: ListedAddress[] = []
  let { after } = page
  for (let examined = 0; examined < examinedMax; examined += size) {
    const rows = await readSuppressions(ctx, { ...page, after, limit: size })
    for (const row of await known(ctx, rows)) {
      if (data.length === page.limit) return { data, nextCursor: data.at(-1)!.email }
      data.push(row)
    }
    if (rows.length < size) return { data, nextCursor: null }
    after = rows.at(-1)!.email
  }
  return { data, nextCursor: after }
}

/** Removes an address: administrators may remove every one, others those that they added, which nobody else has asked for. */
export async function unsuppress(ctx: RequestContext, email: string): Promise<void> {
  const { db, caller } = ctx
  const [listed] = await known(ctx, await readSuppressions(ctx, { only: email, after: '', limit: 1 }))
  if (!listed) throw notFound('The address')
  if (!isAdministrator(ctx) && listed.createdById !== actorIdOf(caller))
    throw new Refusal('PERMISSION_DENIED', 'Only an owner or admin removes an address that another one added.', {
      requiredRoles: ['OWNER', 'ADMIN'],
    })
  const removed = await db.query(
    'delete from outreach.suppressed_address where organization_id = $1 and email = $2 returning 1',
    [caller.organizationId, email],
  )
  if (removed.length === 0) throw notFound('The address')
}
