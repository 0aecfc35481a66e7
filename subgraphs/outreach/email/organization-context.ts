import { systemContext, type Port, type RequestContext, type Services } from '../../kernel/request.ts'

/** The context of the platform in one organization, on the connections of the organization: mails are visible through their threads there. */
export function organizationContext(services: Services, organizationId: string): RequestContext<Port> {
  const ctx = systemContext(services, organizationId)
  return { ...ctx, db: services.tenants.of(organizationId, ctx) }
}
