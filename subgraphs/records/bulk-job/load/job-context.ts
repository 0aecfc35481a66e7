import { actingCaller, currentScopes } from '../../../identity/public.ts'
import { mayDoMore, type Caller, type QuietFor } from '../../../kernel/context.ts'
import { newId } from '../../../kernel/ids.ts'
import {
  portNames,
  portsOf,
  requestContext,
  systemContext,
  type Port,
  type RequestContext,
  type Services,
} from '../../../kernel/request.ts'
import { holdsScope } from '../../../kernel/scopes.ts'
import type { BulkEvents } from '../bulk-job.enumerations.ts'
import { jobScope, operationOf, type StoredJob } from '../stored-job.ts'
import { JobFailure } from './lease.ts'

/** The contexts of a job at this moment: the rights of its user are read again for each chunk. */
export interface JobContext {
  /** In which records are written. */
  readonly ctx: RequestContext<Port>
  /** In which the job ends. */
  readonly ending: RequestContext<Port>
}

type Quiet = readonly QuietFor[]

function withOrigin(caller: Caller, { id, options: { runAutomations } }: StoredJob, isDelivered: boolean): Caller {
  const quiet: Quiet = [
    ...(isDelivered ? [] : ['DELIVERIES' as const]),
    ...(runAutomations ? [] : ['AUTOMATIONS' as const]),
  ]
  return { ...caller, origin: { kind: 'BULK_JOB', id, runId: id, ...(quiet.length > 0 && { quiet }) } }
}

const endIsDelivered = (events: BulkEvents): boolean => events !== 'NONE'

const denied = (message: string): JobFailure => new JobFailure('PERMISSION_DENIED', message)

/** Refuses what the user who created the job might not create now. */
function requireRights(ctx: RequestContext, job: StoredJob): void {
  const { caller } = ctx
  const { operation, options } = job
  if (caller.role === 'READ_ONLY' && operation !== 'EXPORT')
    throw denied('The user who created the job may read but not change records.')
  if (!(options.runHooks && options.runAutomations) && !mayDoMore(caller.role, 'MANAGER'))
    throw denied('Only owners and admins may load records without hooks or automations.')
  const scope = jobScope(ctx, job)
  if (!holdsScope(caller, scope)) throw denied(`The credential that created the job lacks the scope ${scope}.`)
}

/** Throws if the user of the job is gone, or if the user or the credential may not do this any more. */
export async function contextOf(services: Services, organizationId: string, job: StoredJob): Promise<JobContext> {
  await services.extensions.load(organizationId)
  const origin = { kind: 'BULK_JOB', id: job.id, runId: job.id }
  const { createdById: userId, createdWith } = job
  const scopes = await currentScopes(services.database, { organizationId, userId, scopes: job.scopes, createdWith })
  if (!scopes) throw denied('The credential that created the job has been revoked.')
  const acting = { organizationId, userId, scopes, runAsAdmin: true, origin, depth: 0 }
  const caller = await actingCaller(services.database, acting)
  if (!caller)
    throw new JobFailure('OWNER_INACTIVE', 'The user who created the job is not active in the organization any more.')
  const ports = portsOf(services, portNames)
  const contextFor = (isDelivered: boolean): RequestContext<Port> => {
    const operation = {
      caller: withOrigin(caller, job, isDelivered),
      requestId: newId(),
      idempotency: null,
      operationId: operationOf(job.id),
      allowsDuplicates: job.options.duplicateStrategy === 'ALLOW',
    }
    return { ...requestContext(operation, services, { ports }), isWithoutHooks: !job.options.runHooks }
  }
  const { emitEvents } = job.options
  const ctx = contextFor(emitEvents === 'EACH')
  requireRights(ctx, job)
  return { ctx, ending: contextFor(endIsDelivered(emitEvents)) }
}

/** The context in which the platform itself ends a job, because its user may not. */
export function platformContext(services: Services, organizationId: string, job: StoredJob): RequestContext {
  const ctx = systemContext(services, organizationId)
  return { ...ctx, caller: withOrigin(ctx.caller, job, endIsDelivered(job.options.emitEvents)) }
}
