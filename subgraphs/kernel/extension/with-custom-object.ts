import { notFound } from '../errors.ts'
import { customObject, recordTypeIn } from '../record/custom-object.ts'
import type { RecordShape } from '../record/definition.ts'
import type { RequestContext } from '../request.ts'
import { withLatestExtensions } from './current-extensions.ts'

interface Known<C> {
  /** The context that knows the object. */
  readonly ctx: C
  readonly shape: RecordShape
}

/**
 * The custom object with this name; null when the organization has none. One that this process does not know may have been created a moment ago by
 * another.
 */
export async function findCustomObject<C extends RequestContext>(ctx: C, name: string): Promise<Known<C> | null> {
  const known = recordTypeIn(ctx, customObject(name))
  if (known) return { ctx, shape: known }
  const latest = await withLatestExtensions(ctx)
  const shape = recordTypeIn(latest, customObject(name))
  return shape && { ctx: latest, shape }
}

/** Runs an operation on the custom object with this name; 404 when the organization has none. */
export async function withCustomObject<C extends RequestContext, T>(
  ctx: C,
  name: string,
  run: (ctx: C, shape: RecordShape) => T | Promise<T>,
): Promise<T> {
  const found = await findCustomObject(ctx, name)
  if (!found) throw notFound('The custom object')
  return run(found.ctx, found.shape)
}
