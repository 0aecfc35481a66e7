import { withCustomObject } from '../../kernel/extension/with-custom-object.ts'
import type { RecordDefinition } from '../../kernel/record/definition.ts'
import { recordsOf, type Records } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { CustomRecord } from './custom-record.ts'

type Definition = RecordDefinition<CustomRecord>

/** An operation on the records of a custom object. */
type Operation<T> = (records: Records<CustomRecord>, ctx: RequestContext, definition: Definition) => T | Promise<T>

const known = new WeakMap<Definition, Records<CustomRecord>>()

function recordsIn(definition: Definition): Records<CustomRecord> {
  let records = known.get(definition)
  if (!records) known.set(definition, (records = recordsOf(definition)))
  return records
}

/** Runs an operation on the records of the custom object with this name; 404 when the organization has none. */
export const withCustomRecords = <T>(ctx: RequestContext, name: string, run: Operation<T>): Promise<T> =>
  withCustomObject(ctx, name, (current, shape) => {
    const definition = shape as Definition
    return run(recordsIn(definition), current, definition)
  })
