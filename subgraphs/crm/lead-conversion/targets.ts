import { invalid, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { TenantPredicate, type Values } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { account } from '../account/account.record.ts'
import { contact } from '../contact/contact.record.ts'
import type { Lead } from '../lead/lead.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'
import type { AccountMatch, ContactMatch, LeadConvertInput } from './conversion.ts'
import { companyDomain } from '../../kernel/values/company-domain.ts'
import { lockOf } from '../../kernel/database/locks.ts'

export interface Target<Match> {
  readonly id: string
  readonly by: Match
}

/** The existing records that a conversion uses; null: it creates one. */
export interface Targets {
  readonly account: Target<AccountMatch> | null
  readonly contact: Target<ContactMatch> | null
  readonly opportunityId: string | null
}

interface Found {
  readonly accountId: string | null
  readonly contactId: string | null
  readonly accountOfContact: string | null
  readonly opportunityId: string | null
  readonly accountOfOpportunity: string | null
  /** The opportunity has an account that the caller does not see. */
  readonly isAccountHidden: boolean
  readonly byDomain: string | null
  readonly byName: string | null
  readonly byEmail: string | null
  readonly accountOfEmail: string | null
}

/**
 * Finds the existing records of a conversion, in one statement: those that the input names, the contact with the email address of the
 * lead, the account with its domain, and the account with its company as the name. Of several, the oldest is taken. Only records that the
 * caller sees are found.
 */
export async function findTargets(ctx: RequestContext, lead: Lead, input: LeadConvertInput): Promise<Targets> {
  const sought = soughtBy(lead, input)
  if (!input.dryRun) await lockSought(ctx, sought)
  const found = await search(ctx, sought, input)
  const given = { accountId: found.accountId, contactId: found.contactId, opportunityId: found.opportunityId }
  const problems = Object.entries(given).flatMap(([path, id]) =>
    input[path as keyof typeof given] != null && id === null ? [unknownReference(path)] : [],
  )
  if (problems.length > 0) throw invalid(...problems)
  const { accountId, opportunityId, accountOfOpportunity, isAccountHidden } = found
  if (isAccountHidden)
    throw invalid({
      path: 'opportunityId',
      code: 'NOT_ALLOWED',
      message: 'opportunityId must be the id of an opportunity whose account you can see.',
    })
  if (accountId !== null && opportunityId !== null && accountOfOpportunity !== accountId)
    throw invalid({
      path: 'opportunityId',
      code: 'NOT_ALLOWED',
      message: 'opportunityId must be the id of an opportunity of the account.',
    })
  const targets = { account: accountTarget(found), contact: contactTarget(found), opportunityId }
  if (input.duplicateStrategy === 'FAIL') refuseDuplicates(targets)
  return targets
}

const contactTarget = ({ contactId, byEmail }: Found): Targets['contact'] =>
  contactId !== null ? { id: contactId, by: 'ID' } : byEmail !== null ? { id: byEmail, by: 'EMAIL' } : null

function accountTarget(found: Found): Targets['account'] {
  const candidates: readonly (readonly [AccountMatch, string | null])[] = [
    ['ID', found.accountId],
    ['OPPORTUNITY', found.accountOfOpportunity],
    // A contact that the input names decides before similarities do.
    ['CONTACT', found.accountOfContact],
    ['DOMAIN', found.byDomain],
    ['NAME', found.byName],
    ['CONTACT', found.contactId === null ? found.accountOfEmail : null],
  ]
  for (const [by, id] of candidates) if (id !== null) return { id, by }
  return null
}

function refuseDuplicates({ account: ofAccount, contact: ofContact }: Targets): void {
  const duplicate = (path: string, id: string, message: string): FieldProblem => ({
    path,
    code: 'DUPLICATE',
    message,
    conflictingId: id,
  })
  const problems = [
    ...(ofAccount && ofAccount.by !== 'ID' && ofAccount.by !== 'OPPORTUNITY'
      ? [duplicate('accountId', ofAccount.id, 'The account of the lead may exist already; set accountId to use it.')]
      : []),
    ...(ofContact?.by === 'EMAIL'
      ? [duplicate('contactId', ofContact.id, 'A contact with the email of the lead exists; set contactId to use it.')]
      : []),
  ]
  if (problems.length > 0)
    throw new Refusal('DUPLICATE_DETECTED', 'The contact or the account of the lead may exist already.', {
      errors: problems,
    })
}

const unknownReference = (path: string): FieldProblem => ({
  path,
  code: 'UNKNOWN_REFERENCE',
  message: `${path} must be the id of an existing record that you can see.`,
})

const uuidOf = (id: string | null | undefined): string | null => (isId(id) ? id.toLowerCase() : null)

/** By what a conversion looks for an account and a contact; null: by nothing. */
interface Sought {
  readonly email: string | null
  readonly domain: string | null
  readonly website: string | null
  readonly company: string | null
}

function soughtBy(lead: Lead, input: LeadConvertInput): Sought {
  const isMatching = input.duplicateStrategy !== 'CREATE_NEW'
  const isAccountSought = isMatching && input.accountId == null && input.opportunityId == null
  return {
    email: isMatching && input.contactId == null && lead.email !== null ? parseEmail(lead.email) : null,
    domain: isAccountSought ? companyDomain(lead.email) : null,
    website: isAccountSought ? lead.website : null,
    company: isAccountSought ? lead.company : null,
  }
}

/**
 * Conversions that look for the same email address, domain or company wait for each other, until the transaction ends, so that the second one finds
 * what the first one created. All of them lock in the order of the keys.
 */
async function lockSought({ db, caller }: RequestContext, sought: Sought): Promise<void> {
  const { email, domain, website, company } = sought
  await db.query(
    `with sought (kind, value) as (values ('email', $2::text),
       ('domain', coalesce($3::text, crm.normalized_domain($4::text))), ('company', crm.normalized_company($5::text))),
     key (id) as materialized (select distinct ${lockOf('leadConversion', "concat_ws(' ', $1::text, kind, value)")}
       from sought where value is not null order by 1)
     select pg_advisory_xact_lock(id) from key`,
    [caller.organizationId, email, domain, website, company],
  )
}

async function search(ctx: RequestContext, sought: Sought, input: LeadConvertInput): Promise<Found> {
  const predicate = new TenantPredicate(ctx.caller)
  const { values } = predicate
  const { email, domain, website, company } = sought
  const oldest = (definition: RecordShape, columns: string, condition: string): string =>
    `select ${columns} from ${definition.table} t where ${predicate.live(definition, 't')} and ${condition}
     order by t.created_at, t.id limit 1`
  const byId = (definition: RecordShape, columns: string, id: string | null | undefined): string =>
    oldest(definition, columns, `t.id = ${parameter(values, 'uuid', uuidOf(id))}`)
  const given = `select coalesce(${parameter(values, 'text', domain)},
      crm.normalized_domain(${parameter(values, 'text', website)})) as domain,
    crm.normalized_company(${parameter(values, 'text', company)}) as name`
  const [row] = await ctx.db.query<{ found: Found }>(
    // Materialized, because row-level security lets no index compare a column with the result of a function.
    `with given as materialized (${given})
     select jsonb_build_object(
       'accountId', a.id, 'contactId', c.id, 'accountOfContact', coalesce(ca.id, null), 'opportunityId', o.id,
       'accountOfOpportunity', oa.id, 'isAccountHidden', o.account_id is not null and oa.id is null, 'byDomain', d.id, 'byName', n.id, 'byEmail', e.id, 'accountOfEmail', ea.id) as found
     from given
     left join lateral (${byId(account, 't.id', input.accountId)}) a on true
     left join lateral (${byId(contact, 't.id, t.account_id', input.contactId)}) c on true
     left join lateral (${oldest(account, 't.id', 't.id = c.account_id')}) ca on true
     left join lateral (${byId(opportunity, 't.id, t.account_id', input.opportunityId)}) o on true
     left join lateral (${oldest(account, 't.id', 't.id = o.account_id')}) oa on true
     left join lateral (${oldest(account, 't.id', 't.normalized_domain = given.domain')}) d on true
     left join lateral (${oldest(account, 't.id', 't.normalized_name = given.name')}) n on true
     left join lateral (${oldest(contact, 't.id, t.account_id', `t.normalized_email = ${parameter(values, 'text', email)}`)}) e on true
     left join lateral (${oldest(account, 't.id', 't.id = e.account_id')}) ea on true`,
    values.list,
  )
  return row!.found
}

const parameter = (values: Values, type: string, value: unknown): string => `${values.add(value)}::${type}`
