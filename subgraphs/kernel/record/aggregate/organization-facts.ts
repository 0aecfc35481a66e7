import type { RequestContext } from '../../request.ts'
import { dateIn } from '../../time/days.ts'
import type { FiscalCalendar } from '../../time/period.ts'
import type { RecordShape } from '../definition.ts'

/** What decides when the periods of an organization begin, and into which currency its amounts are converted. */
export interface OrganizationFacts extends FiscalCalendar {
  /** ISO 4217 code. */
  readonly baseCurrency: string
}

/** What the statement of an aggregate needs besides the request. */
export interface AggregateFacts extends OrganizationFacts {
  readonly now: string
  /** Today in the time zone of the organization. */
  readonly today: string
}

/** What aggregates need from the subgraph that has the organizations, their users and their exchange rates. */
export interface OrganizationSource {
  facts(ctx: RequestContext): Promise<OrganizationFacts>
  /** SQL of the rate of a currency on a day, a text `YYYY-MM-DD`; null without one. */
  rateSql(parts: {
    readonly organizationId: string
    readonly base: string
    readonly currency: string
    readonly day: string
  }): string
  /** SQL of the rates of all currencies: `currency`, `date` from which each applies as `YYYY-MM-DD`, `rate`. */
  ratesSql(parts: { readonly organizationId: string; readonly base: string }): string
  /** The users with their names. */
  readonly users: RecordShape
}

let source: OrganizationSource | null = null

/** The composition root calls it once. */
export function registerOrganizationFacts(facts: OrganizationSource): void {
  source = facts
}

export function organizationSource(): OrganizationSource {
  if (!source) throw new Error('The composition root must call registerOrganizationFacts.')
  return source
}

export async function factsOf(ctx: RequestContext): Promise<AggregateFacts> {
  const facts = await organizationSource().facts(ctx)
  const now = ctx.clock.now()
  return { ...facts, now: now.toISOString(), today: dateIn(facts.timezone, now) }
}
