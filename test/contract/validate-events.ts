import { existsSync, readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { typesOfObject } from '../../subgraphs/events/catalog/custom-object-types.ts'
import { customRecordOf } from '../../subgraphs/extensions/custom-record/custom-record.record.ts'
import { customObjectName, customObjectOfEvents } from '../../subgraphs/kernel/record/custom-object.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'

/** The type, version and data of a row of `kernel.event`. */
export interface StoredEvent {
  readonly type: string
  readonly version: number
  readonly data: unknown
}

const ajv = new Ajv({ strict: true, strictTypes: 'log', allowUnionTypes: true, allErrors: true })
addFormats.default(ajv)

const validators = new Map<string, ValidateFunction | null>()

export const eventSchemaPath = (type: string, version: number): string =>
  schemaPath('events', `${type.replace('.', '/')}.v${version}.json`)

function validatorOf(type: string, version: number): ValidateFunction | null {
  const name = `${type}@${version}`
  const known = validators.get(name)
  if (known !== undefined) return known
  const path = eventSchemaPath(type, version)
  const schema = existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8')) as object)
    : schemaOfCustomObject(type, version)
  const validator = schema && ajv.compile(schema)
  validators.set(name, validator)
  return validator
}

/** Custom objects have no files, because organizations define them. Their names decide their types only. */
function schemaOfCustomObject(type: string, version: number): object | null {
  const object = customObjectOfEvents(type.slice(0, type.lastIndexOf('.')))
  const name = object && customObjectName(object)
  if (name === null) return null
  const types = typesOfObject(customRecordOf({ name, label: name, nameField: null, formerNameFields: [] }))
  return types.find((one) => one.type === type && one.version === version)?.schema ?? null
}

/** Violations of the schemas of their types; empty if all events are valid. */
export function validateEvents(rows: readonly StoredEvent[]): string[] {
  return rows.flatMap(({ type, version, data }) => {
    const validator = validatorOf(type, version)
    if (!validator) return [`${type}@${version} has no schema`]
    return validator(data) ? [] : [`${type}@${version}: ${ajv.errorsText(validator.errors, { dataVar: 'data' })}`]
  })
}
