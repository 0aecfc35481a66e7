import { existsSync, readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
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
  const validator = existsSync(path) ? ajv.compile(JSON.parse(readFileSync(path, 'utf8')) as object) : null
  validators.set(name, validator)
  return validator
}

/** Violations of the schemas of their types; empty if all events are valid. */
export function validateEvents(rows: readonly StoredEvent[]): string[] {
  return rows.flatMap(({ type, version, data }) => {
    const validator = validatorOf(type, version)
    if (!validator) return [`${type}@${version} has no schema`]
    return validator(data) ? [] : [`${type}@${version}: ${ajv.errorsText(validator.errors, { dataVar: 'data' })}`]
  })
}
