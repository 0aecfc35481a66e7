import { Refusal } from '../errors.ts'
import type { RequestContext } from '../request.ts'
import type { RecordShape } from '../record/definition.ts'
import { Values } from '../record/predicate.ts'
import { definitionsChangedState } from './definition-version.migrations.ts'
import { readExtensions } from './extension.ts'

/** Each is one more change of the definitions in the moment between two statements. */
const attemptsMax = 10

/** Whether organizations define something of the record type. Every write of it proves that it knows the latest definitions, whoever makes it. */
export const concernsDefinitions = ({ isExtensible = false, isCustomizable = false }: RecordShape): boolean =>
  isExtensible || isCustomizable

/** Whether the rules and hooks of the organization concern a change of this caller: the platform itself is subject to none. */
export const isExtended = ({ caller }: RequestContext, shape: RecordShape): boolean =>
  concernsDefinitions(shape) && caller.kind !== 'SYSTEM'

/** SQL condition that fails the statement when the definitions of the organization are not those that the change was decided with. */
export const currentDefinitions = ({ caller, extensions }: RequestContext, values: Values): string =>
  `kernel.require_definitions(${values.add(caller.organizationId)}::uuid, ${values.add(extensions?.version ?? 0)}::bigint)`

/** Until the transaction ends, the definitions of the organization are those of the context. */
export async function requireCurrentDefinitions(ctx: RequestContext): Promise<void> {
  const values = new Values()
  await ctx.db.query(`select ${currentDefinitions(ctx, values)}`, values.list)
}

const areChanged = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === definitionsChangedState

/**
 * Runs a change, and again with the latest extensions of the organization when its statement finds that they have changed. So no
 * change commits that was decided with older definitions than the latest published ones.
 */
export async function withCurrentExtensions<T>(
  ctx: RequestContext,
  change: (ctx: RequestContext) => Promise<T>,
): Promise<T> {
  let current = ctx
  for (let attempt = 1; ; attempt++) {
    try {
      return await change(current)
    } catch (error) {
      if (!areChanged(error)) throw error
      if (attempt === attemptsMax) {
        const message = 'The definitions of the organization are being changed; retry in 1 s.'
        throw new Refusal('UNAVAILABLE', message, { retryAfter: 1 })
      }
      current = await withLatestExtensions(ctx)
    }
  }
}

/** The context with the latest extensions. Inside a transaction, what it has changed itself counts, and is nobody else's. */
export async function withLatestExtensions<C extends RequestContext>(ctx: C): Promise<C> {
  const { db, caller, cachedExtensions } = ctx
  const extensions = db.open
    ? await readExtensions(db, caller.organizationId)
    : await cachedExtensions.reload(caller.organizationId)
  return { ...ctx, extensions, shapes: extensions?.shapes ?? null }
}

/** Raises the version of the organization's definitions. In the transaction of their change, before other statements of it. */
export async function publishDefinitions({ db, caller, cachedExtensions }: RequestContext): Promise<void> {
  cachedExtensions.expect(caller.organizationId)
  await db.query('select kernel.publish_definitions($1)', [caller.organizationId], 'WRITE')
}
