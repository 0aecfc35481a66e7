import { customObjectName, recordTypeIn } from '../../kernel/record/custom-object.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { shapeFor, type OrganizationShapes } from '../../kernel/record/shape-source.ts'
import { builtInShapeOf } from '../custom-field/field-entity.ts'

/** A record type that workflows are about, with the names of its operations in the graph. */
export interface WorkflowObject {
  /** As settings name it: `LEAD`, `custom:site_visit`. */
  readonly name: string
  readonly object: string
  /** Its type in the graph: `Lead`. */
  readonly type: string
  /** What its operations begin with: `lead`. */
  readonly operations: string
  /** The argument `object` of its operations; null for a type of the platform, whose operations have none. */
  readonly customName: string | null
  /** The column whose change is a STAGE_CHANGED; null if it has none. */
  readonly stage: string | null
  /** What a task can be related to. */
  readonly isRelatable: boolean
}

const objectOf = (name: string, stage: string | null, isRelatable = true): WorkflowObject => {
  const object = name.toLowerCase()
  return {
    name,
    object,
    type: `${name[0]!}${object.slice(1)}`,
    operations: object,
    customName: null,
    stage,
    isRelatable,
  }
}

const objects: ReadonlyMap<string, WorkflowObject> = new Map(
  [
    objectOf('LEAD', 'status'),
    objectOf('CONTACT', 'status'),
    objectOf('ACCOUNT', null),
    objectOf('OPPORTUNITY', 'stage'),
    objectOf('PRODUCT', null, false),
    objectOf('QUOTE', 'status'),
    objectOf('ORDER', 'status'),
    objectOf('INVOICE', 'status'),
    objectOf('TASK', 'status', false),
    objectOf('ACTIVITY', null, false),
    objectOf('CASE', 'status'),
  ].map((one) => [one.name, one]),
)

export const objectNames = [...objects.keys()]

/** What `object` of a step and `triggerEntity` must be. */
export const objectRule = `must be one of ${objectNames.join(', ')}, or custom: and the name of a custom object`

function customObjectNamed(object: string): WorkflowObject | null {
  const customName = customObjectName(object)
  if (customName === null) return null
  const operations = 'customRecord'
  return { name: object, object, type: 'CustomRecord', operations, customName, stage: null, isRelatable: true }
}

/** A record type by its name. A custom object may not exist: `shapeIn` says so. */
export const objectNamed = (name: unknown): WorkflowObject | null =>
  typeof name === 'string' ? (objects.get(name) ?? customObjectNamed(name)) : null

/** The shape of a type without the fields that the organization has defined. */
export const shapeOf = ({ object }: WorkflowObject): RecordShape => builtInShapeOf(object)

/** The shape of a type with custom fields; null for a custom object that the organization does not have. */
export const shapeIn = (shapes: OrganizationShapes | null, object: WorkflowObject): RecordShape | null =>
  object.customName === null ? shapeFor({ shapes }, shapeOf(object)) : recordTypeIn({ shapes }, object.object)
