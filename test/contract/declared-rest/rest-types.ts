import { readFileSync } from 'node:fs'
import { parseYaml } from '../../../rest-adapter/parse-yaml.ts'
import { schemaPath } from '../../../subgraphs/kernel/config/paths.ts'
import type { RecordShape } from '../../../subgraphs/kernel/record/definition.ts'
import { objectOfType } from '../../../subgraphs/kernel/record/field-security.ts'
import { recordNamed } from '../../../subgraphs/kernel/record/record-registry.ts'
import type { RestArea } from '../../../subgraphs/kernel/record/rest-area.ts'
import { prefixOf, restAreas, typeOf } from '../../rest-areas.ts'
import type { Json } from '../event-file.ts'

const areasByType = new Map(restAreas.map((area) => [typeOf(area), area]))

/** The area of a record type that has standard operations; its schema, fragment and enumerations are printed there. */
export const areaOf = (type: string): RestArea | undefined => areasByType.get(type)

/** The name of the fragment with all fields of such a record, without custom fields. */
export const fragmentOf = (area: RestArea): string => `${prefixOf(area)}Fields`

/** The shape of a record type, also of one without standard operations. */
export const shapeOf = (type: string): RecordShape | null => recordNamed(objectOfType(type))

interface Root {
  readonly components: Readonly<Record<'parameters' | 'schemas', Readonly<Record<string, Json>>>>
}

const root = parseYaml(readFileSync(schemaPath('rest/api.yaml'), 'utf8')) as Root

/** Whether all areas share the schema. */
export const isSharedSchema = (name: string): boolean => Object.hasOwn(root.components.schemas, name)
