import type { Reference } from '../kernel/record/definition.ts'
import { visibleIds } from '../kernel/record/read.ts'
import { account } from './account/account.record.ts'
import { contact } from './contact/contact.record.ts'
import { opportunity } from './opportunity/opportunity.record.ts'

/** Returns which of these accounts are live and visible to the caller. */
export const visibleAccounts: Reference = (ctx, ids) => visibleIds(ctx, account, ids)

/** Returns which of these contacts are live and visible to the caller. */
export const visibleContacts: Reference = (ctx, ids) => visibleIds(ctx, contact, ids)
/** Returns which of these opportunities are live and visible to the caller. */
export const visibleOpportunities: Reference = (ctx, ids) => visibleIds(ctx, opportunity, ids)
