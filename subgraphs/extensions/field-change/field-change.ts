import type { RecordShape } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { CustomFieldChange } from '../custom-field/custom-field.enumerations.ts'
import type { CustomField } from '../custom-field/custom-field.ts'

/** A value that does not allow the change. */
export interface FailedValue {
  readonly recordId: string
  readonly value: unknown
  readonly code: string
  readonly message: string
  /** Another record with which the value is in conflict. */
  readonly conflictingId?: string
}

/** A change of a field that is under way. */
export interface RunningChange<P extends object = object> {
  readonly id: string
  readonly field: CustomField
  readonly parameters: P
  /** Who changed the definition; null for the platform. */
  readonly requestedById: string | null
}

/** One batch of a change: the ids of the next records, in their order, with those of deleted records. */
export interface FieldBatch<P extends object = object> extends RunningChange<P> {
  /** The type of the records with the custom fields of the organization. */
  readonly shape: RecordShape
  readonly ids: readonly string[]
}

/**
 * A kind of work that the change of a definition needs on all records of its type. It begins in the transaction that writes the definition, so from
 * then on every write of a record is decided with the changed definition: writes do themselves what the batches do for older records.
 */
export interface FieldChange<P extends object = object> {
  readonly name: CustomFieldChange
  /** Records of one batch: so many that it takes well under a second. After each attempt in a row that made no progress, a tenth of them. */
  readonly batchSize: number
  /** It ends as failed with so many values that do not allow it. Default: 100. */
  readonly failuresMax?: number
  /** Batches that fail repeatedly do not end it: it is queued again, because what it builds is needed for as long as the field is in use. */
  readonly isRepeated?: (field: CustomField) => boolean
  /** What the work needs to know if this change of a definition needs it; otherwise null. A deletion begins only what is done afterwards. */
  readonly begins?: (next: CustomField, previous: CustomField | null) => P | null
  /** It tidies up after a change that has taken effect: the definition stays as it is, may be changed meanwhile, and is not concerned by its end. */
  readonly isAfterwards?: true
  /** Whether nothing is left to do on the records that remain. */
  readonly isOver?: (ctx: RequestContext, change: RunningChange<P>) => Promise<boolean>
  /** The entity whose records the work is done on; default: that of the field. */
  readonly entityOf?: (field: CustomField) => string
  /**
   * Does the work for some records, in one transaction with the progress: if the process dies, it has either happened with its progress or is
   * repeated. `ctx` has the latest published definitions, and no others are published before the transaction ends.
   */
  readonly batch: (ctx: RequestContext, batch: FieldBatch<P>) => Promise<readonly FailedValue[]>
  /** What the definition is when all records are done; null if it exists no longer. In the transaction that ends the change. */
  readonly finish?: (ctx: RequestContext, change: RunningChange<P>) => Promise<Partial<CustomField> | null>
  /** What the definition is after values have not allowed the change, or batches have failed repeatedly. In the transaction that ends the change. */
  readonly fail?: (ctx: RequestContext, change: RunningChange<P>) => Promise<Partial<CustomField>>
}

const kinds = new Map<string, FieldChange>()

/** Every kind is registered when the subgraph is loaded. */
export function registerFieldChange<P extends object>(kind: FieldChange<P>): void {
  kinds.set(kind.name, kind as unknown as FieldChange)
}

export function fieldChangeNamed(name: string): FieldChange {
  const kind = kinds.get(name)
  if (!kind) throw new Error(`${name} is no kind of change of a field.`)
  return kind
}

export interface BegunChange {
  readonly kind: CustomFieldChange
  readonly isAfterwards: boolean
  readonly parameters: object
}

/** What the change of a definition begins, in the order of the registration. */
export const changesBegunBy = (next: CustomField, previous: CustomField | null): BegunChange[] =>
  [...kinds.values()].flatMap(({ name, begins, isAfterwards = false }) => {
    const parameters = next.deletedAt && !isAfterwards ? null : begins?.(next, previous)
    return parameters ? [{ kind: name, isAfterwards, parameters }] : []
  })
