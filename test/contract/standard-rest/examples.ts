import type { Column } from '../../../subgraphs/kernel/record/column.ts'
import { isRequired, writableColumns } from '../../../subgraphs/kernel/record/inputs.ts'
import { exampleOf } from '../record-event-files.ts'
import { inputExampleOf } from './input-example.ts'
import type { RecordApi } from './record-api.ts'
import type { Json } from './schemas.ts'

/** Whether everybody can send the example: it refers to no record, and no time that will have passed. */
const isForEverybody = ({ definition }: RecordApi, { name, kind, example }: Column): boolean =>
  example != null &&
  kind !== 'timestamp' &&
  kind !== 'id' &&
  !Object.keys(definition.references ?? {}).some((path) => path === name || path.startsWith(`${name}.`))

function writableExample(api: RecordApi, operation: 'CREATE' | 'UPDATE'): Json {
  const writable = new Set(writableColumns(api.definition.entity, operation).map(({ name }) => name))
  const tags = api.columns.filter(({ name }) => name === 'tags')
  const columns = [...api.ownColumns, ...tags].filter(({ name }) => writable.has(name))
  const sendable = columns.filter(
    (column) => isForEverybody(api, column) || (operation === 'CREATE' && isRequired(column)),
  )
  return exampleOf(sendable.map((column) => ({ ...column, example: inputExampleOf(column) })))
}

/** Every property that a new record of anybody can have, and those that it must have. */
export const createExample = (api: RecordApi): Json => writableExample(api, 'CREATE')

/** The change in the sample of the event `<object>.updated`. */
export function updateExample(api: RecordApi): Json {
  const { object, events } = api.definition
  const changed = Object.keys(events?.types[`${object}.updated`]?.before ?? {})
  const example = Object.entries(writableExample(api, 'UPDATE'))
  const chosen = example.filter(([name]) => changed.includes(name))
  return Object.fromEntries(chosen.length > 0 ? chosen : example.slice(0, 1))
}

const idExample = ({ columns }: RecordApi): unknown => columns.find(({ name }) => name === 'id')!.example

export const bulkUpdateExample = (api: RecordApi): Json => ({
  items: [{ id: idExample(api), ...updateExample(api), expectedVersion: 1 }],
})

export const bulkDeleteExample = (api: RecordApi): Json => ({ ids: [idExample(api)] })

const keyExample = ({ columns }: RecordApi): Json => {
  const { name, example } = columns.find((column) => column.name === 'externalId')!
  return { [name]: example }
}

export const bulkUpsertExample = (api: RecordApi): Json => ({ items: [{ ...keyExample(api), ...createExample(api) }] })
