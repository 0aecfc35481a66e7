import { organizationSettings } from '../../identity/public.ts'
import { withoutRowLimit } from '../../kernel/database/row-bytes.ts'
import { distinctIdsMax, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { change } from '../../kernel/record/records-of.ts'
import { isOutOfSight } from '../../kernel/record/out-of-sight.ts'
import { uniqueViolation } from '../../kernel/record/unique-violation.ts'
import { unrestricted, type RequestContext } from '../../kernel/request.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { account } from '../account/account.record.ts'
import type { Contact } from './contact.ts'

/** Another contact of the account may cease to be the primary one, so only those who see the account choose it. */
const unseen = {
  path: 'isPrimary',
  code: 'NOT_ALLOWED',
  message: 'isPrimary may be set for a contact of an account that you can see.',
}

/** When a contact becomes the primary contact of its account, the former one ceases to be. */
export const onePrimaryContact = (contact: () => RecordDefinition<Contact>): SerializedRule<Contact> => ({
  concerns: (_ctx, next, previous) => next.isPrimary && (!previous?.isPrimary || next.accountId !== previous.accountId),
  async enforce(ctx, next) {
    if (await isOutOfSight(ctx, account, next.accountId)) return [unseen]
    // The caller may not see the former primary contact.
    const inner = unrestricted(ctx)
    const former = await inner.db.query<{ id: string }>(
      `select id from crm.contact
       where organization_id = $1 and account_id = $2 and is_primary and deleted_at is null and id <> $3`,
      [next.organizationId, next.accountId, next.id],
    )
    for (const { id } of former)
      await change(inner, contact(), id, () => ({ operation: 'UPDATE', values: {}, implied: { isPrimary: false } }))
    return []
  },
})

async function withEmails({ db, caller }: RequestContext, emails: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await withoutRowLimit(db).query<{ email: string; ids: string[] }>(
    `select e.email, array_agg(c.id::text) as ids from unnest($2::text[]) e(email)
     cross join lateral (
       select id from crm.contact
       where organization_id = $1 and normalized_email = e.email and deleted_at is null limit ${distinctIdsMax}) c
     group by 1`,
    [caller.organizationId, emails],
  )
  return new Map(rows.map(({ email, ids }) => [email, ids]))
}

/** If the organization wants it, no two live contacts have the same email. */
export const uniqueEmail = (contact: () => RecordDefinition<Contact>): SerializedRule<Contact> => ({
  concerns(_ctx, next, previous) {
    const isNew = next.normalizedEmail !== previous?.normalizedEmail || previous.deletedAt !== null
    return next.normalizedEmail !== null && next.deletedAt === null && isNew
  },
  holdsIf: (organization) =>
    `exists (select from identity.organization where id = ${organization} and settings @> '{"uniqueContactEmail": true}')`,
  distinct: { valueOf: ({ email }) => (typeof email === 'string' ? parseEmail(email) : null), having: withEmails },
  async enforce(ctx, { organizationId, id, normalizedEmail }) {
    if (!(await organizationSettings(ctx)).uniqueContactEmail) return []
    const [other] = await ctx.db.query(
      `select 1 from crm.contact where organization_id = $1 and normalized_email = $2 and deleted_at is null and id <> $3 limit 1`,
      [organizationId, normalizedEmail, id],
    )
    if (!other) return []
    throw await uniqueViolation(
      ctx,
      contact(),
      'email',
      (values) => `t.normalized_email = ${values.add(normalizedEmail)} and t.id <> ${values.add(id)}`,
    )
  },
})
