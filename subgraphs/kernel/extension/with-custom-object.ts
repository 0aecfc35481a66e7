import { notFound } from '../errors.ts'
import { customObject } from '../record/custom-object.ts'
import type { RecordShape } from '../record/definition.ts'
import type { RequestContext } from '../request.ts'
import { withLatestExtensions } from './current-extensions.ts'

/**
 * Runs an operation on the custom object with this name; 404 when the organization has none. One that this process does not know may have been
 * created a moment ago by another.
 */
export async function withCustomObject<C extends RequestContext, T>(
  ctx: C,
  name: string,
  run: (ctx: C, shape: RecordShape) => T | Promise<T>,
): Promise<T> {
  const known = ctx.shapes?.custom(customObject(name))
  if (known) return run(ctx, known as RecordShape)
  const current = await withLatestExtensions(ctx)
  const latest = current.shapes?.custom(customObject(name))
  if (!latest) throw notFound('The custom object')
  return run(current, latest as RecordShape)
}
