import type { RequestContext } from '../../request.ts'
import type { FiscalCalendar } from '../../time/period.ts'
import type { RecordShape } from '../definition.ts'

/** What decides when the periods of an organization begin, and into which currency its amounts are converted. */
export interface OrganizationFacts extends FiscalCalendar {
  /** ISO 4217 code. */
  readonly baseCurrency: string
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
