import type { BusinessHours } from '../../kernel/time/working-week.ts'
import type { FiscalCalendar } from '../../kernel/time/period.ts'
import type { ModelUser } from '../../kernel/language-model/language-model.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Logo } from '../seller/logo.ts'

/** The base currency of an organization that has set none. */
export const defaultBaseCurrency = 'USD'

export interface OrganizationSettings {
  /** ISO 4217 code of the currency into which sums over several currencies are converted; default USD. */
  readonly baseCurrency?: string
  /** Refuse status changes of a case that its state machine does not allow. */
  readonly enforceCaseTransitions?: boolean
  /** Refuse an email of a contact that another live contact has. */
  readonly uniqueContactEmail?: boolean
  /** Refuse to lose an opportunity without `lossReason`. */
  readonly requireLossReason?: boolean
  /** Refuse to send a quote that is not approved. */
  readonly requireQuoteApproval?: boolean
  /** How customers pay, such as bank details, as invoices say it. */
  readonly paymentInstructions?: string
  /** Postal address of the organization in lines, as invoices say it. */
  readonly postalAddress?: string
  /** Tax id of the organization, as invoices say it. */
  readonly taxId?: string
  /** Colour of the organization as `#1f4e79`, as its public pages, documents and mails to customers have it. */
  readonly brandColor?: string
  /** The image that they show. */
  readonly logo?: Logo
  /** Working hours for due dates; absent: every hour counts. */
  readonly businessHours?: BusinessHours
  /** IANA time zone name; default UTC. */
  readonly timezone?: string
  /** Month in which the fiscal year begins, 1 to 12; default 1. */
  readonly fiscalYearStartMonth?: number
  /** Refuse consents to apps that registered themselves. */
  readonly refuseSelfRegisteredApps?: boolean
  /** Modes in which the assistant does not answer in this organization. */
  readonly disabledAssistantModes?: readonly string[]
}

export async function organizationSettings(ctx: Pick<RequestContext, 'db' | 'caller'>): Promise<OrganizationSettings> {
  const [row] = await ctx.db.query<{ settings: OrganizationSettings }>(
    'select settings from identity.organization where id = $1',
    [ctx.caller.organizationId],
  )
  return row?.settings ?? {}
}

/** SQL of the time zone of an organization. */
export const organizationZoneSql = (organization: string): string =>
  `(select o.settings ->> 'timezone' from identity.organization o where o.id = ${organization})`

/** For whom a language model answers: the caller, in an organization that may have switched the standard provider off. */
export async function modelUserOf(ctx: Pick<RequestContext, 'db' | 'caller'>): Promise<ModelUser> {
  const { organizationId, userId, credentialId } = ctx.caller
  const { disabledAssistantModes = [] } = await organizationSettings(ctx)
  return { organizationId, userId, credentialId, isProviderOff: disabledAssistantModes.includes('model') }
}

/** When the months, fiscal quarters and fiscal years of the caller's organization begin. */
export async function fiscalCalendar(ctx: RequestContext): Promise<FiscalCalendar> {
  const { timezone = 'UTC', fiscalYearStartMonth = 1 } = await organizationSettings(ctx)
  return { timezone, fiscalYearStartMonth }
}
