import { activeUsers } from '../../identity/public.ts'
import { actorIdOf } from '../../kernel/context.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { redact } from '../../kernel/record/field-security.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { requireRight, save } from '../../kernel/record/save.ts'
import { refusalInState } from '../../kernel/record/transitions.ts'
import { inTransaction, withoutEffect, type RequestContext } from '../../kernel/request.ts'
import { account } from '../account/account.record.ts'
import type { Account } from '../account/account.ts'
import { contact } from '../contact/contact.record.ts'
import type { Contact } from '../contact/contact.ts'
import { lead } from '../lead/lead.record.ts'
import { leadStates } from '../lead/lead.rules.ts'
import type { Lead } from '../lead/lead.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'
import type { Opportunity } from '../opportunity/opportunity.ts'
import type { LeadConversion, LeadConvertInput } from './conversion.ts'
import { accountValues, companyOf, contactValues, customFieldsFor, valuesForEmpty } from './copied-values.ts'
import { notifyOwner } from './notify-owner.ts'
import { lockDatedRecords, lockRelatedWork, moveRelatedWork } from './related-work.ts'
import { findTargets, type Targets } from './targets.ts'

const closesAfterDays = 90
const nameLengthMax = 255

/**
 * Turns a lead into an account, a contact and, unless the input refuses it, an opportunity, in one transaction. The row of the lead is
 * locked first, so that of several concurrent conversions one succeeds and the others find the lead converted.
 */
export function convertLead(
  ctx: RequestContext<'vault'>,
  id: string,
  input: LeadConvertInput,
  expectedVersion: number | null,
): Promise<LeadConversion> {
  requireRights(ctx, input)
  const work = (inner: RequestContext<'vault'>) => convert(inner, id, input, expectedVersion)
  return input.dryRun ? withoutEffect(ctx, work) : inTransaction(ctx, work)
}

/** The rights that the input needs are known before the lead is looked at, so a refusal says nothing of the lead. */
function requireRights(ctx: RequestContext, input: LeadConvertInput): void {
  const owner = input.ownerId == null ? {} : { ownerId: input.ownerId }
  const leadSource = input.overwriteLeadSource ? { leadSource: null } : {}
  requireRight(ctx, lead, {})
  requireRight(ctx, account, input.accountId == null ? owner : {})
  requireRight(ctx, contact, { ...(input.contactId == null && owner), ...leadSource })
  const isCreated = input.createOpportunity && input.opportunityId == null
  requireRight(
    ctx,
    opportunity,
    isCreated ? { ...wantedOf(input), name: '', accountId: '', closeDate: '', ...owner } : {},
  )
}

/** What the input says of the new opportunity beside its name and its close date, which a new opportunity always has. */
const wantedOf = ({ amount, stage }: LeadConvertInput) => ({
  ...(amount != null && { amount }),
  ...(stage != null && { stage }),
})

interface Conversion {
  readonly lead: Lead
  readonly input: LeadConvertInput
  readonly targets: Targets
  readonly ownerId: string
  readonly now: Date
}

async function convert(
  ctx: RequestContext<'vault'>,
  id: string,
  input: LeadConvertInput,
  expectedVersion: number | null,
): Promise<LeadConversion> {
  if (!isId(id)) throw notFound('The lead')
  const work = await lockRelatedWork(ctx, id)
  const before = await requireRecord(ctx, lead, id, { isLocked: true })
  await requireConvertible(ctx, before)
  // A dry run changes nothing, so it discloses nothing of the lead that the caller could not read.
  const from = input.dryRun ? redact(ctx.caller, shapeFor(ctx, lead), before) : before
  const targets = await findTargets(ctx, from, input)
  await lockDatedRecords(ctx, work, {
    accountId: targets.account?.id ?? null,
    contactId: targets.contact?.id ?? null,
    opportunityId: targets.opportunityId,
  })
  const ownerId = input.ownerId ?? (await ownerOf(ctx, before))
  const conversion: Conversion = { lead: from, input, targets, ownerId, now: ctx.clock.now() }
  const written = new Set<string>()
  // A new record may have an owner whose records the caller does not see: the others refer to it nevertheless.
  const inner = { ...ctx, written }
  const ofAccount = await accountOf(inner, conversion)
  written.add(`account ${ofAccount.id}`)
  const ofContact = await contactOf(inner, conversion, ofAccount.id)
  written.add(`contact ${ofContact.id}`)
  const ofOpportunity = await opportunityOf(inner, conversion, ofAccount.id, ofContact.id)
  const ids = {
    convertedAccountId: ofAccount.id,
    convertedContactId: ofContact.id,
    convertedOpportunityId: ofOpportunity?.id ?? null,
  }
  const converted = await save(ctx, lead, {
    operation: 'UPDATE',
    previous: before,
    values: {},
    implied: {
      status: 'CONVERTED',
      convertedAt: conversion.now.toISOString(),
      convertedById: actorIdOf(ctx.caller),
      ...ids,
    },
    expectedVersion,
    events: ['lead.converted'],
    isEventReplaced: true,
  })
  await moveRelatedWork(ctx, { ...before, ...ids }, work)
  if (input.notifyOwner) await notifyOwner(ctx, before, ownerId)
  return {
    lead: converted,
    account: ofAccount,
    contact: ofContact,
    opportunity: ofOpportunity,
    created: {
      account: targets.account === null,
      contact: targets.contact === null,
      opportunity: ofOpportunity !== null && targets.opportunityId === null,
    },
    matchedBy: { account: targets.account?.by ?? null, contact: targets.contact?.by ?? null },
  }
}

async function requireConvertible(ctx: RequestContext, before: Lead): Promise<void> {
  if (before.status === 'CONVERTED') {
    const { convertedAccountId, convertedContactId, convertedOpportunityId } = redact(ctx.caller, lead, before)
    throw await refusalInState(ctx, leadStates, before, 'The lead is already converted.', {
      convertedAccountId,
      convertedContactId,
      convertedOpportunityId,
    })
  }
  if (before.status === 'UNQUALIFIED')
    throw await refusalInState(ctx, leadStates, before, 'An UNQUALIFIED lead cannot be converted; reopen it first.')
}

/** The owner of the lead, or the caller if that user is not active. */
async function ownerOf(ctx: RequestContext, { ownerId }: Lead): Promise<string> {
  if (ownerId === null || ownerId === ctx.caller.userId) return ctx.caller.userId
  return (await activeUsers(ctx, [ownerId])).has(ownerId) ? ownerId : ctx.caller.userId
}

function accountOf(ctx: RequestContext, { lead: from, targets, ownerId }: Conversion): Promise<Account> {
  const customFields = customFieldsFor(ctx, from, account)
  if (!targets.account) return recordsOf(account).create(ctx, {}, { ...accountValues(from), customFields, ownerId })
  return change(ctx, account, targets.account.id, (previous) => ({
    operation: 'UPDATE',
    values: {},
    implied: valuesForEmpty(previous, accountValues(from), customFields),
  }))
}

function contactOf(ctx: RequestContext, conversion: Conversion, accountId: string): Promise<Contact> {
  const { lead: from, targets, ownerId, input } = conversion
  const customFields = customFieldsFor(ctx, from, contact)
  const values = contactValues(from, accountId)
  if (!targets.contact && !from.lastName.trim()) throw lastNameRequired()
  if (!targets.contact)
    return recordsOf(contact).create(ctx, {}, { ...values, customFields, ownerId, convertedFromLeadId: from.id })
  return change(ctx, contact, targets.contact.id, (previous) => ({
    operation: 'UPDATE',
    values: {},
    implied: {
      ...valuesForEmpty(previous, values, customFields),
      ...(input.overwriteLeadSource && { leadSource: from.leadSource }),
    },
  }))
}

/** A contact must have a last name, and none is made up. */
const lastNameRequired = () =>
  invalid({
    path: 'lastName',
    code: 'REQUIRED',
    message:
      'The lead must have a lastName for its new contact; set it first, or set contactId of an existing contact.',
  })

async function opportunityOf(
  ctx: RequestContext,
  { lead: from, targets, ownerId, input, now }: Conversion,
  accountId: string,
  primaryContactId: string,
): Promise<Opportunity | null> {
  const customFields = customFieldsFor(ctx, from, opportunity)
  const values: Partial<Opportunity> = { description: from.description, primaryContactId }
  if (targets.opportunityId)
    return change(ctx, opportunity, targets.opportunityId, (previous) => ({
      operation: 'UPDATE',
      values: {},
      implied: valuesForEmpty(previous, values, customFields),
    }))
  if (!input.createOpportunity) return null
  const closeDate = input.closeDate ?? new Date(now.getTime() + closesAfterDays * 86_400_000).toISOString()
  const wanted = {
    name: input.opportunityName ?? defaultName(from),
    accountId,
    closeDate,
    ...wantedOf(input),
  }
  return recordsOf(opportunity).create(ctx, wanted, { ...values, customFields, ownerId })
}

const defaultName = (from: Lead): string => {
  const suffix = ' - '
  return `${[...companyOf(from)].slice(0, nameLengthMax - suffix.length).join('')}${suffix}`
}
