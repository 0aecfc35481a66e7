import { notFound } from '../../kernel/errors.ts'
import { withLatestExtensions } from '../../kernel/extension/current-extensions.ts'
import { customObject } from '../../kernel/record/custom-object.ts'
import type { RecordDefinition } from '../../kernel/record/definition.ts'
import { recordsOf, type Records } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { CustomRecord } from './custom-record.ts'

type Definition = RecordDefinition<CustomRecord>

const definitionIn = ({ shapes }: RequestContext, name: string): Definition | null =>
  (shapes?.custom(customObject(name)) ?? null) as Definition | null

/** An operation on the records of a custom object. */
type Operation<T> = (records: Records<CustomRecord>, ctx: RequestContext, definition: Definition) => T | Promise<T>

const known = new WeakMap<Definition, Records<CustomRecord>>()

function recordsIn(definition: Definition): Records<CustomRecord> {
  let records = known.get(definition)
  if (!records) known.set(definition, (records = recordsOf(definition)))
  return records
}

/**
 * Runs an operation on the records of the custom object with this name; 404 when the organization has none. One that this process does not
 * know may have been created a moment ago by another.
 */
export async function withCustomRecords<T>(ctx: RequestContext, name: string, run: Operation<T>): Promise<T> {
  const definition = definitionIn(ctx, name)
  if (definition) return run(recordsIn(definition), ctx, definition)
  const current = await withLatestExtensions(ctx)
  const latest = definitionIn(current, name)
  if (!latest) throw notFound('The custom object')
  return run(recordsIn(latest), current, latest)
}
