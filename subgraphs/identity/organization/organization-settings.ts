import type { BusinessHours } from '../../kernel/working-week.ts'
import type { RequestContext } from '../../kernel/request.ts'

export interface OrganizationSettings {
  /** Refuse moves of a case that its state machine does not have. */
  readonly enforceCaseTransitions?: boolean
  /** When due dates pass; absent, every hour counts. */
  readonly businessHours?: BusinessHours
  /** IANA name; UTC when absent. */
  readonly timezone?: string
}

export async function organizationSettings(ctx: RequestContext): Promise<OrganizationSettings> {
  const [row] = await ctx.db.query<{ settings: OrganizationSettings }>(
    'select settings from identity.organization where id = $1',
    [ctx.caller.organizationId],
  )
  return row?.settings ?? {}
}
