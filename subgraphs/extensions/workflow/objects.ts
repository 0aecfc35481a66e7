import type { RecordShape } from '../../kernel/record/definition.ts'
import { recordNamed } from '../../kernel/record/record-registry.ts'

/** A record type that workflows are about, with the names of its operations in the graph. */
export interface WorkflowObject {
  /** As settings name it: `LEAD`. */
  readonly name: string
  readonly object: string
  /** Its type in the graph: `Lead`. */
  readonly type: string
  /** The column whose change is a STAGE_CHANGED; null if it has none. */
  readonly stage: string | null
  /** What a task can be related to. */
  readonly isRelatable: boolean
}

const objectOf = (name: string, stage: string | null, isRelatable = true): WorkflowObject => {
  const object = name.toLowerCase()
  return { name, object, type: `${name[0]!}${object.slice(1)}`, stage, isRelatable }
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

export const objectNamed = (name: unknown): WorkflowObject | null =>
  (typeof name === 'string' && objects.get(name)) || null

export const shapeOf = ({ object }: WorkflowObject): RecordShape => {
  const shape = recordNamed(object)
  if (!shape) throw new Error(`The record type ${object} is not registered.`)
  return shape
}
